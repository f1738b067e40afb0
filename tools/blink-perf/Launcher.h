//===- Launcher.h - which rank a launcher made of this process --*- C++ -*-===//
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
  std::string variables; ///< that say so, "RANK and WORLD_SIZE"
};

/// By the environment of torchrun, Open MPI, what speaks PMI (MPICH) and Slurm,
/// in this order: who starts torchrun by srun wants torchrun's ranks. Throws
/// UsageError where a variable is no number.
LaunchedRank launchedRank();

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_LAUNCHER_H
