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

#include "compiler/verify/ClusterProof.h"
#include "compiler/verify/Verify.h"
#include "schedules/BundleFile.h"

#include <optional>
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
  uint64_t allocations = 0, unreachableAllocations = 0; ///< and survivors
  uint64_t members = 0;
  uint64_t programs = 0; ///< in members
  uint64_t renamed = 0; ///< programs times the allocations and roots they serve
  double sumOfRatios = 0; ///< rate / bound, over programs
  double worstRatio = 2;  ///< above 1: there is no program
  std::string worst;      ///< "broadcast from rank 2 on GPUs 0,1,4"

  bool ok() const { return numProblems == 0; }
  /// Adds what was found out about a later class.
  void add(const BundleProof &other);
};

/// Proves a bundle class by class. The whole machine is that of the schedules
/// under condition 0; under another it lacks the links between two nodes.
///   - members: each program passes verifyProgram; a class has those that its
///     table of roots wants, each once; all members of a condition hold the
///     machine of that condition, with the nodes that the index says, and all
///     have the same link kinds;
///   - allocations: each program, under the node map of each allocation and
///     survivor, and for rooted collectives under the maps of all ranks that it
///     serves, is what Renaming (Renaming.h) demands on the machine of their
///     condition;
///   - a class without members: in none of its allocations can all GPUs reach
///     each other;
///   - allocations without a survivor under some condition: no program of
///     theirs uses a link that has failed.
///
/// On a cluster there are no node maps and no other machines. Members are for
/// the part that the representative uses; what ClusterProof.h demands of the
/// cluster makes them right for all placements that it represents, and for all
/// roots that symmetries exchange.
///
/// Thread-safe once made. The bundle must outlive it.
class BundleProver {
public:
  explicit BundleProver(const sched::BundleView &bundle);

  uint32_t numClasses() const { return bundle_.index->classes()->size(); }
  BundleProof proveClass(uint32_t classNumber) const;

private:
  class ClassCheck;

  /// An allocation under a condition.
  struct Served {
    const sched::Entry *entry;
    uint16_t condition;
  };

  const sched::BundleView bundle_;
  std::vector<std::vector<Served>> servedBy_; // by class; by condition
  /// A member, to tell the whole machine by. Null: there is none.
  const sched::Schedule *machine_ = nullptr;
  std::string wrongCondition_; // empty: none
  std::optional<verify::ClusterProof> cluster_;
};

} // namespace blink

#endif // BLINK_COMPILER_VERIFY_BUNDLEPROOF_H
