//===- BundleContents.h - counts of a bundle's contents ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_BUNDLECONTENTS_H
#define BLINK_COMPILER_REPORT_BUNDLECONTENTS_H

#include "schedules/BundleFile.h"

#include <string>
#include <vector>

namespace blink {

/// The counts and lists that reports print about a bundle.
struct BundleContents {
  /// An allocation that cannot communicate.
  struct Apart {
    std::vector<int> gpus;
    std::string failure; ///< "gpu0:gpu3"; empty on the whole machine
  };

  std::string machine;
  std::vector<std::string> collectives;
  size_t allocations = 0;
  std::vector<Apart> unreachable; ///< on the whole machine
  std::vector<Apart> cutOff;      ///< by a failure
  size_t classes = 0, survivorClasses = 0;
  size_t failures = 0, survivors = 0;
  size_t boxes = 0; ///< of a cluster, whose allocations are placements; or 0

  static BundleContents of(const sched::Bundle &index);
};

} // namespace blink

#endif // BLINK_COMPILER_REPORT_BUNDLECONTENTS_H
