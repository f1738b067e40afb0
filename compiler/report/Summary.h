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
  int hops;  ///< most channels that any data crosses in sequence
  /// Microseconds that the first byte spends on links on the slowest route
  /// through a tree: a lower limit for the time of a small message.
  double latency;
  /// Microseconds that an empty message may take (TimeModel.h).
  double start;
  int lanes;        ///< most lanes on a rank
  int64_t channels; ///< of all ranks
  int64_t steps;    ///< of all ranks
  int chunkBytes;
  int leastChunkBytes; ///< of short messages
  int leastChunks;     ///< of short messages

  bool hasLimit() const;
};

/// Identifies a program within a file.
struct ProgramKey {
  Collective collective;
  std::optional<int> root; ///< if the collective has one
  std::vector<int> gpus;   ///< GPU number of each rank
  std::vector<int> relays; ///< GPU numbers
  /// In a bundle, the failed links in the notation of compile's option; empty:
  /// none.
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

/// What every command reports about a program, read from the file. The numbers
/// of VariantSummary are those of its last variant, for large messages.
struct Summary : VariantSummary, ProgramKey {
  std::string topology;
  double links; ///< GB/s that the links sustain; infinite for one rank
  double pace;  ///< the part of it that lanes keep (compiler/verify/Pace.h)
  double algbw; ///< GB/s: links * pace
  double bound; ///< GB/s; infinite for one rank
  /// Whether switches reduce or multicast for trees of any variant.
  bool inSwitch = false;
  /// The order of sums, as the file states it.
  sched::ReductionOrder order = sched::ReductionOrder::none;
  /// The type in which partial sums of 8-bit and 16-bit types travel.
  sched::Accumulation accumulate = sched::Accumulation::none;
  /// GB/s that the links sustain for 16-bit and 8-bit types.
  double links16 = 0, links8 = 0;
  std::vector<VariantSummary> variants; ///< all, ascending by size
  /// Pairs of ranks that network channels connect, and the most such pairs that
  /// one rank is part of; over all variants together. Both are 0 if no channel
  /// leaves its machine.
  int connections = 0;
  int networkPeers = 0;

  /// Percent of the bound; 100 for one rank.
  double percentOfBound() const;
  /// formatGpus of its GPUs.
  std::string gpuList() const;
  /// Returns the variant for messages of `bytes` bytes.
  const VariantSummary &variantFor(uint64_t bytes) const;
  /// Whether `variant` is a direct exchange between all ranks instead of a
  /// forest: an allreduce over trees takes at least two hops.
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

/// Returns the load of each link (index as in the file's topology) in GB/s when
/// the collective runs at the rate that the links sustain.
std::vector<double> linkLoads(const sched::Schedule &file,
                              const sched::Program &program);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_SUMMARY_H
