/* An allreduce among processes that MPI has started.
 *
 *   blinkc compile dgx1.topo -o allreduce.sched
 *   mpicc allreduce_mpi.c -lblink -o allreduce_mpi
 *   mpirun -n 8 ./allreduce_mpi allreduce.sched
 *
 * MPI hands the unique id round, and no more.
 */
#include <blink.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Everything returns a result code; blinkGetLastError has the sentence. */
#define CHECK(call)                                                            \
  do {                                                                         \
    blinkResult_t result = (call);                                             \
    if (result != blinkSuccess) {                                              \
      fprintf(stderr, "%s: %s: %s\n", #call, blinkGetErrorString(result),      \
              blinkGetLastError(NULL));                                        \
      MPI_Abort(MPI_COMM_WORLD, 1);                                            \
    }                                                                          \
  } while (0)

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, nranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nranks);
  if (argc != 2) {
    if (rank == 0)
      fprintf(stderr, "usage: mpirun -n RANKS %s FILE.sched\n", argv[0]);
    MPI_Finalize();
    return 2;
  }

  /* One process makes the id; the others join by it. With GPUs, the device
     would stand in place of -1: the rank's number on this machine. */
  blinkUniqueId id;
  if (rank == 0)
    CHECK(blinkGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  blinkSchedule_t schedule;
  blinkComm_t comm;
  CHECK(blinkScheduleOpen(argv[1], &schedule));
  CHECK(blinkCommInitRank(&comm, nranks, id, rank, -1, schedule, NULL));
  CHECK(blinkScheduleClose(schedule));

  /* Rank r contributes r + i in element i. Memory of blinkMemAlloc that is
     registered the other processes read where it is. */
  const size_t count = 1000003, bytes = count * sizeof(float);
  void *memory, *handle;
  CHECK(blinkMemAlloc(&memory, bytes));
  CHECK(blinkCommRegister(comm, memory, bytes, &handle));
  float *data = memory;
  for (size_t i = 0; i < count; ++i)
    data[i] = (float)(rank + i % 1000);
  CHECK(blinkAllReduce(data, data, count, blinkFloat32, blinkSum, comm, NULL));

  unsigned long long wrong = 0, all = 0;
  for (size_t i = 0; i < count; ++i)
    wrong +=
        data[i] != (float)(nranks * (nranks - 1) / 2 + nranks * (i % 1000));
  MPI_Reduce(&wrong, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0,
             MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d processes, %zu elements each, %llu wrong\n", nranks, count, all);

  CHECK(blinkCommDeregister(comm, handle));
  CHECK(blinkCommDestroy(comm));
  CHECK(blinkMemFree(memory));
  MPI_Finalize();
  return wrong != 0;
}
