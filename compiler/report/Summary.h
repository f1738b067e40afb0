//===- Summary.h - a schedule in a few numbers ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_SUMMARY_H
#define BLINK_COMPILER_REPORT_SUMMARY_H

#include "compiler/topology/Topology.h"

namespace blink {

/// The program for one range of message sizes.
struct VariantSummary {
  uint64_t minBytes;
  uint64_t maxBytes; ///< exclusive; 2^64 - 1 means no limit
  sched::Protocol protocol;
  int trees;
  int depth; ///< hops of the tallest tree
  int hops;  ///< most channels that data takes one after the other
  /// Microseconds that the first byte spends on links, on the slowest route
  /// through a tree: what a small message takes at least.
  double latency;
  /// Microseconds that a message of no size may take (TimeModel.h).
  double start;
  int lanes;        ///< most lanes on a rank
  int64_t channels; ///< of all ranks
  int64_t steps;    ///< of all ranks
  int chunkBytes;
  int leastChunkBytes; ///< of short messages
  int leastChunks;     ///< likewise

  bool hasLimit() const;
};

/// What a program is for: what tells the programs of a file apart.
struct ProgramKey {
  Collective collective;
  std::optional<int> root; ///< where the collective has one
  std::vector<int> gpus;   ///< GPU number of each rank
  std::vector<int> relays; ///< GPU numbers
  /// In a bundle, what has failed, as compile's option says it; empty: nothing.
  std::string condition = "";

  static ProgramKey of(const sched::Program &program);
  /// "broadcast from rank 2 on GPUs 1,4,5,6".
  std::string title() const;
  bool operator<(const ProgramKey &other) const { return tie() < other.tie(); }
  bool operator==(const ProgramKey &other) const {
    return tie() == other.tie();
  }

private:
  std::tuple<const Collective &, const std::optional<int> &,
             const std::vector<int> &, const std::vector<int> &,
             const std::string &>
  tie() const {
    return {collective, root, gpus, relays, condition};
  }
};

/// What every command says of a program, read from the file: with the numbers
/// of its last variant, the one for large messages.
struct Summary : VariantSummary, ProgramKey {
  std::string topology;
  double links; ///< GB/s that the links sustain; infinite for one rank
  double pace;  ///< the part of it that lanes keep (compiler/verify/Pace.h)
  double algbw; ///< GB/s, both
  double bound; ///< GB/s; infinite for one rank
  /// Whether switches reduce or multicast for trees of some variant.
  bool inSwitch = false;
  /// Of sums, as the file states.
  sched::ReductionOrder order = sched::ReductionOrder::none;
  /// In what partial sums of types of 8 and 16 bits travel.
  sched::Accumulation accumulate = sched::Accumulation::none;
  /// GB/s that the links sustain of these.
  double links16 = 0, links8 = 0;
  std::vector<VariantSummary> variants; ///< all, ascending by size
  /// Pairs of ranks with network channels between them, and most of them that
  /// one rank is in; of all variants together. 0 where no channel leaves its
  /// machine.
  int connections = 0;
  int networkPeers = 0;

  /// Percent of the bound; 100 for one rank.
  double percentOfBound() const;
  /// formatGpus of its GPUs.
  std::string gpuList() const;
  /// The variant for messages of so many bytes.
  const VariantSummary &variantFor(uint64_t bytes) const;
  /// Whether a variant is an exchange of all with all, and no forest: a tree
  /// takes an allreduce two hops.
  bool isOneHop(const VariantSummary &variant) const;
};

Summary summarize(const sched::Schedule &file, const sched::Program &program);

/// "85.714 GB/s", "unlimited (one GPU)".
std::string formatRate(double gbps);
/// "128 KiB".
std::string formatBytes(uint64_t bytes);
/// "allreduce", "broadcast from rank 2".
std::string formatCollective(Collective collective, std::optional<int> root);
/// "below 64 KiB", "from 64 KiB", "all sizes".
std::string sizeRange(const VariantSummary &variant);

/// The load of each link (index as in the file's topology) in GB/s when the
/// collective runs at the rate that links sustain.
std::vector<double> linkLoads(const sched::Schedule &file,
                              const sched::Program &program);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_SUMMARY_H
