//===- Bundle.h - schedules for many allocations ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Compiles a topology and a list of allocations to the bytes of a bundle
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
  /// Links and how to compile. Its collective, gpus, root, relays and timeLimit
  /// are ignored.
  CompileOptions each;
  std::vector<Collective> collectives; ///< Ascending, without duplicates.
  std::vector<std::vector<int>> allocations;
  /// Also compile for what the loss of one GPU leaves of these allocations.
  bool surviveGpus = false;
  /// Also compile for these allocations after the loss of all links between two
  /// nodes.
  bool surviveLinks = false;
  unsigned jobs = 0; ///< Threads; 0: as many as processors.

  /// Returns the settings as recorded in the file: in a fixed order, with
  /// defaults written out.
  sched::Settings settings(const Topology &topology) const;
};

/// Called after each class with the number of classes done and the number of
/// all classes; never by two threads at once.
using BundleWatcher = llvm::function_ref<void(size_t done, size_t all)>;

/// Calls `body` for the numbers 0 to count - 1 on several threads, the largest
/// numbers first, because classes of many GPUs take long and have large
/// numbers. `jobs` is as in BundleOptions. If a call throws, for example
/// because memory runs out, the exception is rethrown here after all threads
/// have ended.
void forEachInParallel(size_t count, unsigned jobs,
                       llvm::function_ref<void(size_t)> body,
                       BundleWatcher watcher);

/// Compiles a bundle. Each class of allocations that are alike is compiled
/// once, for its representative; a class whose GPUs cannot all reach each other
/// gets empty members. With surviveLinks, each pair of linked nodes is a
/// condition. Under it an allocation has a survivor if the condition matters to
/// it (pairsThatMatter, SingleFailures.h) and its GPUs can reach each other on
/// the whole machine; allocations that only surviveGpus asks for have a
/// survivor without a class there. The bytes depend on the topology and the
/// options except `jobs`. The bundle is not proved as a whole; that is done by
/// proveBundle (ProveBundle.h). Errors: a bad allocation; a link edit that fits
/// no links; a topology of more nodes, links or allocations than a bundle can
/// hold; no allocation that can communicate; those of the passes.
llvm::Expected<std::vector<uint8_t>> compileBundle(const Topology &topology,
                                                   const BundleOptions &options,
                                                   BundleWatcher watcher);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_BUNDLE_H
