//===- ExtractSchedule.h - one job's schedule of a bundle -------*- C++ -*-===//
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

/// Whose schedule of a bundle is meant.
struct BundleJob {
  Collective collective = Collective::allreduce;
  std::vector<int> gpus;   ///< GPU number of each rank; empty: all of them
  int root = 0;            ///< rank
  std::string withoutLink; ///< "gpu0:gpu3", what failed; empty: nothing
};

/// The schedule that the bundle `input` has for a job, under the job's names:
/// what `blinkc extract` writes. Errors: a bad job; nothing for it; the bundle
/// is damaged.
llvm::Expected<InputFile> extractSchedule(const InputFile &input,
                                          const BundleJob &job);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_EXTRACTSCHEDULE_H
