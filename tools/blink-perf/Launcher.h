//===- Launcher.h - this process's rank by its launcher ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_LAUNCHER_H
#define BLINK_TOOLS_BLINKPERF_LAUNCHER_H

#include <string>

namespace blink::perf {

struct LaunchedRank {
  int rank = -1; ///< -1: no launcher, or one that started a single process
  int ranks = 0;
  std::string variables; ///< the variables it came from, "RANK and WORLD_SIZE"
};

/// Reads the environment of torchrun, Open MPI, launchers that speak PMI
/// (MPICH), and Slurm, in this order: srun may have started torchrun, whose
/// ranks then count. Throws UsageError if a variable is not a number.
LaunchedRank launchedRank();

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_LAUNCHER_H
