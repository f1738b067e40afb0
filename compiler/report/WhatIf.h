//===- WhatIf.h - what one more link would bring ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_WHATIF_H
#define BLINK_COMPILER_REPORT_WHATIF_H

#include "compiler/packing/PackTrees.h"

namespace blink {

/// One more link beside an existing one, and the bound that comes of it.
struct Improvement {
  std::string from, to;
  LinkKind kind;
  double bandwidth; ///< of the new link, GB/s in each direction
  double bound;     ///< GB/s
};

/// Solves the problem again with one more link, for the `most` scarce links
/// that promise most by their price; of links that are the same by symmetry,
/// one. A new link is as fast as the slowest of its kind on the machine, which
/// is one link where others are several. Prices are those of the bound today;
/// what they promise is an upper limit, for another bottleneck may come next.
/// Best first. Errors: those of boundRate.
llvm::Expected<std::vector<Improvement>>
tryMoreLinks(const PackingProblem &problem,
             const PackingCertificate &certificate, size_t most);

/// The same of links between two GPUs of the job that have none yet, each like
/// the slowest between any two; none on a machine without such.
llvm::Expected<std::vector<Improvement>>
tryNewLinks(const PackingProblem &problem,
            const PackingCertificate &certificate, size_t most);

/// tryMoreLinks for a program of `file`, with its certificate.
llvm::Expected<std::vector<Improvement>>
tryMoreLinks(const sched::Schedule &file, const sched::Program &program,
             size_t most);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_WHATIF_H
