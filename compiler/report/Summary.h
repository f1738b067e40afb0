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
  int lanes;    ///< most lanes on a rank
  int channels; ///< of all ranks
  int steps;    ///< of all ranks
  int chunkBytes;

  bool hasLimit() const;
};

/// What every command says of a program, read from the file: with the numbers
/// of its last variant, the one for large messages.
struct Summary : VariantSummary {
  std::string topology;
  Collective collective;
  std::vector<int> gpus;   ///< GPU number of each rank
  std::vector<int> relays; ///< GPU numbers
  std::optional<int> root;
  double links; ///< GB/s that the links sustain; infinite for one rank
  double pace;  ///< the part of it that lanes keep (compiler/verify/Pace.h)
  double algbw; ///< GB/s, both
  double bound; ///< GB/s; infinite for one rank
  std::vector<VariantSummary> variants; ///< all, ascending by size

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
