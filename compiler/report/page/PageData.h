//===- PageData.h - what the page of blinkc report shows --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Machines, and what programs, bounds and allocations say of them: all that a
// page draws, as plain data. render/page/ makes HTML of it.
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
  std::string type; ///< as of recognize(); empty: none
  /// Of each GPU the GPU of the type that it is.
  std::vector<int> gpusOfType;
};

/// The program for one range of sizes.
struct PageVariant {
  VariantSummary summary;
  bool oneHop = false; ///< an exchange of all with all, and no forest
  /// Microseconds of a message of each of PageData::sizes().
  std::vector<double> times;
  PageForest forest;
};

/// A collective on an allocation: a program, or its bound alone.
struct PageProgram {
  size_t machine = 0; ///< of PageData::machines
  Explanation explanation;
  std::vector<PageVariant> variants; ///< none of a bound alone
  std::optional<PageRings> rings;
  std::vector<Improvement> improvements; ///< best first
  std::optional<PageReplay> replay;
  bool isBound() const { return variants.empty(); }
};

/// The GPUs that a job may get, and who serves it.
struct PageAllocation {
  std::vector<int> gpus;
  size_t alike = 0; ///< the class, of PageData::classes
  /// Of each node of the class's machine the node that plays its part, or
  /// sched::kUnmapped; empty: itself.
  std::vector<uint16_t> nodes;
};

/// Allocations that are the same up to names have these programs, of
/// PageData::programs; none: no path joins their GPUs.
struct PageClass {
  std::vector<size_t> programs;
};

struct PageData {
  std::string title; ///< the machine's name
  std::vector<PageMachine> machines;
  std::vector<PageProgram> programs;
  /// Of a bundle; empty for others.
  std::vector<PageClass> classes;
  std::vector<PageAllocation> allocations;
  std::vector<LinkEdit> edits;    ///< of the machine, as the file records them
  std::vector<std::string> notes; ///< what was left out, in sentences

  /// Of messages in time curves, in bytes.
  static std::vector<uint64_t> sizes();
};

/// What there is to see in a topology: the bounds of its collectives on all of
/// its GPUs. Errors: those of RankTopology and boundRate.
llvm::Expected<PageData> pageOf(const Topology &topology);
/// In a schedule.
llvm::Expected<PageData> pageOf(const sched::Schedule &file);
/// In a bundle: of rooted collectives the root with the lowest rate, of which a
/// job may be sure. Errors: a damaged piece.
llvm::Expected<PageData> pageOf(const sched::BundleView &bundle);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_PAGE_PAGEDATA_H
