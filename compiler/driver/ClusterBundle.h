//===- ClusterBundle.h - schedules for placements on a cluster --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_DRIVER_CLUSTERBUNDLE_H
#define BLINK_COMPILER_DRIVER_CLUSTERBUNDLE_H

#include "compiler/driver/Bundle.h"

namespace blink {

/// Compiles a bundle for a cluster: `placements`, as parsePlacements
/// (PlacementList.h) reads them, each on the part of the machine that it uses.
/// Neither time nor bytes depend on how many other boxes there are, but for the
/// index, which has the cluster once. options.allocations is not looked at.
/// Errors: those of compileBundle, of parsePlacements and of Cluster::find;
/// something to survive is asked for.
llvm::Expected<std::vector<uint8_t>>
compileClusterBundle(const Topology &topology, const BundleOptions &options,
                     llvm::StringRef placements, BundleWatcher watcher);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_CLUSTERBUNDLE_H
