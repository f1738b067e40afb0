//===- BundlePlan.h - what a bundle is to hold ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The allocations of a bundle, the failures that they are to survive, and the
// classes that all of them fall into.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_DRIVER_BUNDLEPLAN_H
#define BLINK_COMPILER_DRIVER_BUNDLEPLAN_H

#include "compiler/driver/Bundle.h"
#include "compiler/topology/SingleFailures.h"

#include <optional>

namespace blink {

/// An allocation under a failure that matters to it.
struct PlannedSurvivor {
  size_t condition;  ///< from 1, as in the file
  size_t allocation; ///< index into BundlePlan::allocations
  /// Of its GPUs, on what is left of the machine; none: it was not asked for.
  std::optional<ClassifiedAllocation> classified;
};

/// All of a bundle but the schedules.
struct BundlePlan {
  std::vector<NodePair> failures; ///< conditions 1, 2, ...
  /// AllocationClass::machine is the number of a condition.
  std::vector<AllocationClass> classes;
  std::vector<ClassifiedAllocation> allocations; ///< of the whole machine
  std::vector<PlannedSurvivor> survivors; ///< by condition, then allocation
};

/// What compileBundle says of allocations, failures and classes. `topology` has
/// its links edited. Errors: those of AllocationClassifier::classify; more
/// links than a bundle can have conditions.
llvm::Expected<BundlePlan> planBundle(const Topology &topology,
                                      const BundleOptions &options);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_BUNDLEPLAN_H
