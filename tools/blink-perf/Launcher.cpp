//===- Launcher.cpp - this process's rank by its launcher -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Launcher.h"

#include "tools/blink-perf/Options.h"

#include <cstdlib>

namespace blink::perf {
namespace {

struct Variables {
  const char *rank, *ranks;
  const char *only; ///< must also be set; null: nothing else
};

// A batch script of Slurm has a rank too, but it is no task of a step.
const Variables kLaunchers[] = {
    {"RANK", "WORLD_SIZE", nullptr},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", nullptr},
    {"PMI_RANK", "PMI_SIZE", nullptr},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID"},
};

int numberIn(const char *name) {
  const char *text = std::getenv(name);
  char *end = nullptr;
  const long number = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || number < 0 || number > 65535)
    throw UsageError(
        "the environment has ", name, "=", text,
        ", which is not a number from 0 to 65535; unset it, or give "
        "--rank and --ranks");
  return int(number);
}

} // namespace

LaunchedRank launchedRank() {
  for (const Variables &names : kLaunchers) {
    if (!std::getenv(names.rank) || !std::getenv(names.ranks) ||
        (names.only && !std::getenv(names.only)))
      continue;
    const LaunchedRank found{numberIn(names.rank), numberIn(names.ranks),
                             textOf(names.rank, " and ", names.ranks)};
    return found.ranks > 1 ? found : LaunchedRank();
  }
  return {};
}

} // namespace blink::perf
