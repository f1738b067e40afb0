//===- PageData.h - the data of blinkc report's page ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The data that a page draws: machines, and the programs, bounds and
// allocations on them. render/page/ makes HTML of it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_PAGE_PAGEDATA_H
#define BLINK_COMPILER_REPORT_PAGE_PAGEDATA_H

#include "compiler/report/Explanation.h"
#include "compiler/report/WhatIf.h"
#include "compiler/report/page/Replay.h"
#include "compiler/report/page/Rings.h"
#include "compiler/report/page/Trees.h"
#include "compiler/topology/DegradeLinks.h"

#include "schedules/BundleFile.h"

namespace blink {

struct PageMachine {
  Topology topology;
  std::string type; ///< as recognize() names it; empty: none
  /// The number that each GPU has in the machine type.
  std::vector<int> gpusOfType;
};

/// The program for one range of sizes.
struct PageVariant {
  VariantSummary summary;
  bool oneHop = false; ///< a direct exchange between all ranks, no forest
  /// Microseconds of messages of PageData::sizes().
  std::vector<double> times;
  PageForest forest;
};

/// A collective on an allocation: a program, or only its bound.
struct PageProgram {
  size_t machine = 0; ///< index in PageData::machines
  Explanation explanation;
  std::vector<PageVariant> variants; ///< empty if only the bound is known
  std::optional<PageRings> rings;
  std::vector<Improvement> improvements; ///< best first
  std::optional<PageReplay> replay;
  bool isBound() const { return variants.empty(); }
};

/// GPUs that a job may get, and the class that serves them.
struct PageAllocation {
  std::vector<int> gpus;
  size_t alike = 0; ///< the class: index in PageData::classes
  /// For each node of the class's machine, the node that takes its place, or
  /// sched::kUnmapped; empty: each node is its own.
  std::vector<uint16_t> nodes;
};

/// The programs of a class of allocations, as indices in PageData::programs;
/// empty if no path joins the GPUs.
struct PageClass {
  std::vector<size_t> programs;
};

struct PageData {
  std::string title; ///< the machine's name
  std::vector<PageMachine> machines;
  std::vector<PageProgram> programs;
  /// Bundles only.
  std::vector<PageClass> classes;
  std::vector<PageAllocation> allocations;
  std::vector<LinkEdit> edits;    ///< of the machine, as the file records them
  std::vector<std::string> notes; ///< what was left out, in sentences

  /// Returns the message sizes of time curves, in bytes.
  static std::vector<uint64_t> sizes();
};

/// Returns the page of a topology: the bounds of its collectives on all of its
/// GPUs. Errors: those of RankTopology and boundRate.
llvm::Expected<PageData> pageOf(const Topology &topology,
                                const WorkWatcher &watcher = {});
/// Returns the page of a schedule.
llvm::Expected<PageData> pageOf(const sched::Schedule &file,
                                const WorkWatcher &watcher = {});
/// Returns the page of a bundle. Of a rooted collective it shows the root with
/// the lowest rate: that rate is guaranteed to a job, whatever its root.
/// Errors: a damaged piece.
llvm::Expected<PageData> pageOf(const sched::BundleView &bundle,
                                const WorkWatcher &watcher = {});

} // namespace blink

#endif // BLINK_COMPILER_REPORT_PAGE_PAGEDATA_H
