//===- WhatIf.h - the gain of one more link ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_WHATIF_H
#define BLINK_COMPILER_REPORT_WHATIF_H

#include "compiler/packing/PackTrees.h"

#include <functional>
#include <string>

namespace blink {

/// One more link beside an existing one, and the bound with it.
struct Improvement {
  std::string from, to;
  LinkKind kind;
  double bandwidth; ///< of the new link, GB/s in each direction
  double bound;     ///< GB/s
};

/// Who is told about work that solves many problems. Both may be empty.
struct WorkWatcher {
  SolveWatcher solver; ///< of each problem; must not stop it
  /// Called before each problem with what is computed: "bound of allgather".
  std::function<void(const std::string &what)> step;

  void begin(const std::string &what) const {
    if (step)
      step(what);
  }
};

/// Solves the problem again with one more link, for up to `most` scarce links
/// that promise most by their prices; links that are equivalent by symmetry are
/// tried once. The new link is as fast as the slowest of its kind on the
/// machine, which is a single link if the faster ones are several in parallel.
/// Prices are those of the present bound, so they promise an upper limit: the
/// next bottleneck may leave less. Best first. Errors: those of boundRate.
llvm::Expected<std::vector<Improvement>>
tryMoreLinks(const PackingProblem &problem,
             const PackingCertificate &certificate, size_t most,
             const WorkWatcher &watcher = {});

/// Tries links between two GPUs of the job that have none yet, each like the
/// slowest link between any two GPUs; returns none if the machine has no such
/// link.
llvm::Expected<std::vector<Improvement>>
tryNewLinks(const PackingProblem &problem,
            const PackingCertificate &certificate, size_t most,
            const WorkWatcher &watcher = {});

/// tryMoreLinks for a program of `file`, with its certificate.
llvm::Expected<std::vector<Improvement>>
tryMoreLinks(const sched::Schedule &file, const sched::Program &program,
             size_t most, const WorkWatcher &watcher = {});

} // namespace blink

#endif // BLINK_COMPILER_REPORT_WHATIF_H
