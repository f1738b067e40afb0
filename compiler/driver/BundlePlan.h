//===- BundlePlan.h - contents of a bundle ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The allocations of a bundle, the failures that they must survive, and the
// classes into which all of them fall.
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
  size_t condition;  ///< A number from 1, as in the file.
  size_t allocation; ///< Index into BundlePlan::allocations.
  /// The class of its GPUs on what is left of the machine; std::nullopt if no
  /// schedule was requested.
  std::optional<ClassifiedAllocation> classified;
};

/// Everything in a bundle except the schedules.
struct BundlePlan {
  std::vector<NodePair> failures; ///< Conditions 1, 2, ...
  /// AllocationClass::machine is the number of a condition.
  std::vector<AllocationClass> classes;
  std::vector<ClassifiedAllocation> allocations; ///< On the whole machine.
  std::vector<PlannedSurvivor> survivors; ///< Sorted by condition, allocation.
};

/// Plans the allocations, failures and classes as compileBundle documents.
/// `topology` already has its links edited. Errors: those of
/// AllocationClassifier::classify; more linked pairs than a bundle can have
/// conditions.
llvm::Expected<BundlePlan> planBundle(const Topology &topology,
                                      const BundleOptions &options);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_BUNDLEPLAN_H
