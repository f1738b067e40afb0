//===- BundleProof.h - proof that a bundle is right -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Checks every schedule of a bundle, and every allocation that the bundle says
// one of them serves.
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

/// The result for a class or, added up, for a bundle.
struct BundleProof {
  /// Most problems that are kept as text; further ones are only counted.
  static constexpr size_t kMostWorded = 10;

  std::vector<std::string> problems; ///< "allocation 0,5: broadcast from ..."
  uint64_t numProblems = 0;
  uint64_t classes = 0, unreachableClasses = 0;
  uint64_t allocations = 0, unreachableAllocations = 0; ///< with survivors
  uint64_t members = 0;
  uint64_t programs = 0; ///< in members
  uint64_t renamed = 0; ///< programs times the allocations and roots they serve
  double sumOfRatios = 0; ///< rate / bound, over programs
  double worstRatio = 2;  ///< above 1 if there is no program
  std::string worst;      ///< "broadcast from rank 2 on GPUs 0,1,4"

  bool ok() const { return numProblems == 0; }
  /// Adds the result for a later class.
  void add(const BundleProof &other);
};

/// Proves a bundle class by class. The whole machine is that of the schedules
/// under condition 0; under another condition the links between two nodes are
/// missing.
///   - members: each program passes verifyProgram, with the options; a class
///     has the programs that its table of roots demands, each once; all members
///     of a condition hold the machine of that condition, with the nodes that
///     the index says, and all have the same link kinds;
///   - allocations: each program, under the node map of each allocation and
///     survivor, and for rooted collectives under the maps of all ranks that it
///     serves, is what Renaming (Renaming.h) demands on the machine of their
///     condition;
///   - a class without members: in none of its allocations can all GPUs reach
///     each other;
///   - allocations without a survivor under some condition: none of their
///     programs uses a link that has failed.
///
/// On a cluster there are no node maps and no other machines. Members are for
/// the part that the representative uses; what ClusterProof.h demands of the
/// cluster makes them right for all placements that it represents, and for all
/// roots that symmetries exchange.
///
/// Thread-safe once constructed. The bundle must outlive it.
class BundleProver {
public:
  explicit BundleProver(const sched::BundleView &bundle,
                        const VerifyOptions &options = {});

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
  const VerifyOptions options_;
  std::vector<std::vector<Served>> servedBy_; // by class; by condition
  /// A member that holds the whole machine; null if there is none.
  const sched::Schedule *machine_ = nullptr;
  std::string wrongCondition_; // empty: none
  std::optional<verify::ClusterProof> cluster_;
};

} // namespace blink

#endif // BLINK_COMPILER_VERIFY_BUNDLEPROOF_H
