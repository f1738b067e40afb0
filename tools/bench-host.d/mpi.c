/*===- mpi.c - times MPI ------------------------------------------*- C -*-===*\
|*
|* Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
|*
|*   mpirun -np RANKS mpi COLLECTIVE MOST_BYTES
|*
\*===----------------------------------------------------------------------===*/

#include "Bench.h"

#include <mpi.h>

static int call(BenchJob *job) {
  int count = (int)job->count, part = (int)job->part;
  if (job->collective == benchAllReduce)
    return MPI_Allreduce(job->send[0], job->recv[0], count, MPI_FLOAT, MPI_SUM,
                         MPI_COMM_WORLD);
  if (job->collective == benchBroadcast)
    return MPI_Bcast(job->recv[0], count, MPI_FLOAT, 0, MPI_COMM_WORLD);
  return MPI_Allgather(job->send[0], part, MPI_FLOAT, job->recv[0], part,
                       MPI_FLOAT, MPI_COMM_WORLD);
}

static void barrier(BenchJob *job) {
  (void)job;
  MPI_Barrier(MPI_COMM_WORLD);
}

static double largest(BenchJob *job, double mine) {
  (void)job;
  double most = mine;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

int main(int argc, char **argv) {
  BenchJob job = {.program = "mpi default",
                  .driven = 1,
                  .call = call,
                  .barrier = barrier,
                  .largest = largest};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &job.first);
  MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
  if (argc != 3 || benchFind(argv[1], &job.collective)) {
    fprintf(stderr, "usage: mpirun -np RANKS %s COLLECTIVE MOST_BYTES\n",
            argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  if (benchRun(&job, strtoull(argv[2], NULL, 10)))
    MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 0;
}
