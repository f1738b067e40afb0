//===- Bundle.h - schedules for many allocations ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// From a topology and a list of allocations to the bytes of a bundle
// (schedules/bundle.fbs).
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_DRIVER_BUNDLE_H
#define BLINK_COMPILER_DRIVER_BUNDLE_H

#include "compiler/driver/Pipeline.h"
#include "compiler/topology/symmetry/AllocationClasses.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace blink {

struct BundleOptions {
  /// Links and how to compile; collective, gpus, root, relays and timeLimit
  /// are not looked at.
  CompileOptions each;
  std::vector<Collective> collectives; ///< ascending, none twice
  std::vector<std::vector<int>> allocations;
  /// Also for what is left of these allocations after the loss of one GPU.
  bool surviveGpus = false;
  /// Also for these allocations when all links between two nodes are gone.
  bool surviveLinks = false;
  unsigned jobs = 0; ///< threads; 0: as many as processors

  /// As recorded in the file: one fixed order, defaults spelled out.
  sched::Settings settings(const Topology &topology) const;
};

/// Told how many classes of how many are done; from one thread at a time.
using BundleWatcher = llvm::function_ref<void(size_t done, size_t all)>;

/// Calls `body` for 0 to count - 1, on several threads, from `count` - 1
/// downwards: classes of many GPUs, which take long, come last. `jobs` as in
/// BundleOptions. What one throws, as where memory runs out, is thrown here
/// when all have ended.
void forEachInParallel(size_t count, unsigned jobs,
                       llvm::function_ref<void(size_t)> body,
                       BundleWatcher watcher);

/// Compiles a bundle. Each class of allocations that are alike is compiled
/// once, for its representative; classes whose GPUs cannot all reach each other
/// get empty members. With surviveLinks, any two nodes that links join are a
/// condition, under which allocations have a survivor where it matters to them
/// (pairsThatMatter, SingleFailures.h) and their GPUs can reach each other on
/// the whole machine; those that only surviveGpus asks for have there a
/// survivor without a class. The bytes depend on topology and options but for
/// jobs. They are not proved as a whole: that is proveBundle's (ProveBundle.h).
/// Errors: a bad allocation; a link edit that fits nothing; a topology of more
/// nodes, links or allocations, than a bundle can hold; no allocation that can
/// communicate; those of the passes.
llvm::Expected<std::vector<uint8_t>> compileBundle(const Topology &topology,
                                                   const BundleOptions &options,
                                                   BundleWatcher watcher);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_BUNDLE_H
