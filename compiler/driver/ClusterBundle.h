//===- ClusterBundle.h - schedules for placements on a cluster --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_DRIVER_CLUSTERBUNDLE_H
#define BLINK_COMPILER_DRIVER_CLUSTERBUNDLE_H

#include "compiler/driver/Bundle.h"

namespace blink {

/// Compiles a bundle for a cluster: for each of `placements`, a text that
/// parsePlacements (PlacementList.h) reads, a schedule on the part of the
/// machine that it uses. Neither time nor bytes depend on the number of other
/// boxes, except for the index, which holds the cluster once.
/// options.allocations is ignored. Errors: those of compileBundle,
/// parsePlacements and Cluster::find; a request to survive failures.
llvm::Expected<std::vector<uint8_t>>
compileClusterBundle(const Topology &topology, const BundleOptions &options,
                     llvm::StringRef placements, BundleWatcher watcher);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_CLUSTERBUNDLE_H
