//===- ExtractSchedule.h - a job's schedule from a bundle -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_DRIVER_EXTRACTSCHEDULE_H
#define BLINK_COMPILER_DRIVER_EXTRACTSCHEDULE_H

#include "compiler/driver/InputFile.h"
#include "compiler/topology/Topology.h"

#include <string>
#include <vector>

namespace blink {

/// Selects a schedule of a bundle.
struct BundleJob {
  Collective collective = Collective::allreduce;
  std::vector<int> gpus; ///< GPU number of each rank; empty: all GPUs.
  int root = 0;          ///< A rank.
  /// The failed links, "gpu0:gpu3"; empty: none failed.
  std::string withoutLink;
};

/// Returns the schedule that the bundle `input` has for a job, renamed to the
/// job's ranks, GPUs and nodes: the output of `blinkc extract`. Errors: a bad
/// job; no schedule for it; a damaged bundle.
llvm::Expected<InputFile> extractSchedule(const InputFile &input,
                                          const BundleJob &job);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_EXTRACTSCHEDULE_H
