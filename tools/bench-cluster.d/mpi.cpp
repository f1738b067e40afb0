//===- mpi.cpp - times OpenMPI --------------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//   mpirun ... mpi COLLECTIVE BYTES:WARMUP:CALLS...
//
//===----------------------------------------------------------------------===//

#include "Rival.h"

#include <cerrno>
#include <ctime>
#include <mpi.h>
#include <sys/prctl.h>

// OpenMPI yields its processor when it finds nothing to do. If ranks outnumber
// processors, a fair kernel returns the processor at once, and 8 ranks poll for
// each one with work. This function sleeps instead, as the other programs do.
extern "C" int sched_yield() {
  const timespec pause{0, 20000};
  nanosleep(&pause, nullptr);
  return 0;
}

namespace {

class Mpi : public blink::rival::Rival {
public:
  void call() override {
    using blink::rival::Collective;
    if (collective == Collective::allreduce)
      MPI_Allreduce(send.data(), recv.data(), int(count), MPI_FLOAT, MPI_SUM,
                    MPI_COMM_WORLD);
    else if (collective == Collective::broadcast)
      MPI_Bcast(recv.data(), int(count), MPI_FLOAT, 0, MPI_COMM_WORLD);
    else
      MPI_Allgather(send.data(), int(part), MPI_FLOAT, recv.data(), int(part),
                    MPI_FLOAT, MPI_COMM_WORLD);
  }
  void barrier() override { MPI_Barrier(MPI_COMM_WORLD); }
  double largest(double mine) override { return combined(mine, MPI_MAX); }
  double sum(double mine) override { return combined(mine, MPI_SUM); }

private:
  static double combined(double mine, MPI_Op op) {
    double all = mine;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
    return all;
  }
};

} // namespace

int main(int argc, char **argv) {
  prctl(PR_SET_TIMERSLACK, 1);
  MPI_Init(&argc, &argv);
  Mpi mpi;
  MPI_Comm_rank(MPI_COMM_WORLD, &mpi.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &mpi.ranks);
  try {
    if (argc < 3)
      throw std::runtime_error("usage: mpi COLLECTIVE BYTES:WARMUP:CALLS...");
    mpi.run(argv[1], {argv + 2, argv + argc});
  } catch (const std::exception &error) {
    std::fprintf(stderr, "mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
