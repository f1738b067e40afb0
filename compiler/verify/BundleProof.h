//===- BundleProof.h - proof that a bundle is right -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Judges every schedule of a bundle, and every allocation that one of them is
// said to serve.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_BUNDLEPROOF_H
#define BLINK_COMPILER_VERIFY_BUNDLEPROOF_H

#include "compiler/verify/Verify.h"
#include "schedules/BundleFile.h"

#include <string>
#include <vector>

namespace blink {

/// What was found out about a class, or, added up, about a bundle.
struct BundleProof {
  /// Problems that are worded; the others are counted.
  static constexpr size_t kMostWorded = 10;

  std::vector<std::string> problems; ///< "allocation 0,5: broadcast from ..."
  uint64_t numProblems = 0;
  uint64_t classes = 0, unreachableClasses = 0;
  uint64_t allocations = 0, unreachableAllocations = 0;
  uint64_t pieces = 0;
  uint64_t programs = 0; ///< in pieces
  uint64_t renamed = 0; ///< programs times the allocations and roots they serve
  double sumOfRatios = 0; ///< rate / bound, over programs
  double worstRatio = 2;  ///< above 1: there is no program
  std::string worst;      ///< "broadcast from rank 2 on GPUs 0,1,4"

  bool ok() const { return numProblems == 0; }
  /// Adds what was found out about a later class.
  void add(const BundleProof &other);
};

/// Proves a bundle class by class:
///   - pieces: each program passes verifyProgram; a class has those that its
///     table of roots wants, each once; all pieces of a condition hold the same
///     machine, with the nodes that the index says, under the same link kinds;
///   - allocations: each program, under the node map of each allocation, and
///     for rooted collectives under the maps of all ranks that it serves, is
///     what Renaming (Renaming.h) demands;
///   - a class without pieces: in none of its allocations can all GPUs reach
///     each other.
///
/// Thread-safe once made. The bundle must outlive it.
class BundleProver {
public:
  explicit BundleProver(const sched::BundleView &bundle);

  uint32_t numClasses() const { return bundle_.index->classes()->size(); }
  BundleProof proveClass(uint32_t classNumber) const;

private:
  class ClassWalk;

  const sched::BundleView bundle_;
  std::vector<std::vector<uint32_t>> entriesOf_; // by class
  /// By condition: a piece, to tell the machine by. Null: there is none.
  std::vector<const sched::Schedule *> machines_;
};

} // namespace blink

#endif // BLINK_COMPILER_VERIFY_BUNDLEPROOF_H
