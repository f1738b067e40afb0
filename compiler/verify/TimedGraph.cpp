//===- TimedGraph.cpp - folds that take time ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/TimedGraph.h"

#include "schedules/ChunkSize.h"

#include <algorithm>
#include <cmath>

namespace blink::verify {
namespace {

constexpr double kBytesPerMicrosecond = 1e3; // at 1 GB/s

/// Returns the part of S that each tree carries.
std::vector<double> sharesOf(const Semantics &semantics,
                             const sched::Variant &variant) {
  std::vector<double> shares;
  for (const sched::Tree *tree : *variant.trees())
    shares.push_back(double(tree->numerator()) /
                     (double(tree->denominator()) * semantics.numBlocks()));
  return shares;
}

/// Words of low_latency carry as many bytes of flags as of data.
double wireBytes(const sched::Variant &variant) {
  return variant.protocol() == sched::Protocol::low_latency ? 2 : 1;
}

uint32_t wavesOf(const sched::Variant &variant, double chunkBytes) {
  if (variant.protocol() != sched::Protocol::low_latency)
    return 1;
  const double waves = std::ceil(chunkBytes / sched::kWaveBytes - 1e-9);
  return std::max(1u, uint32_t(waves));
}

} // namespace

Cut cutOf(const Semantics &semantics, const sched::Variant &variant,
          double algbw) {
  Cut cut;
  const std::vector<double> shares = sharesOf(semantics, variant);
  const double largest = *std::max_element(shares.begin(), shares.end());
  for (double share : shares)
    cut.chunkBytes.push_back(variant.chunk_bytes() * (share / largest));
  cut.chunks.assign(shares.size(), UINT64_MAX);
  cut.waves.assign(shares.size(), 1); // the graph without end has none
  cut.round = wireBytes(variant) * variant.chunk_bytes() /
              (largest * algbw * kBytesPerMicrosecond);
  return cut;
}

Cut cutOf(const Semantics &semantics, const sched::Variant &variant,
          double algbw, uint64_t bytes) {
  constexpr double kGranule = 64;
  Cut cut;
  const std::vector<double> shares = sharesOf(semantics, variant);
  const double largest =
      *std::max_element(shares.begin(), shares.end()) * double(bytes);
  const double chunk = double(
      sched::chunkBytesOfCall(sched::chunksOf(variant), uint64_t(largest)));
  const double rounds = std::max(1.0, std::ceil(largest / chunk));
  for (double share : shares) {
    const double treeBytes = share * double(bytes);
    const double granules = std::ceil(treeBytes / rounds / kGranule);
    const double own = std::min(chunk, std::max(1.0, granules) * kGranule);
    cut.chunkBytes.push_back(std::min(own, treeBytes));
    cut.waves.push_back(wavesOf(variant, cut.chunkBytes.back()));
    // The excess of a share in floating point must not count as a chunk.
    cut.chunks.push_back(uint64_t(std::ceil(treeBytes / own - 1e-9)));
    cut.round = std::max(cut.round, wireBytes(variant) * cut.chunkBytes.back() /
                                        (share * algbw * kBytesPerMicrosecond));
  }
  return cut;
}

TimedGraph::TimedGraph(const TopologyView &machine, const FoldGraph &graph,
                       const Cut &cut, const StepCosts &costs)
    : graph_(graph), cut_(cut), step_(costs.step),
      lastInLane_(graph.numFolds(), kNone) {
  const sched::Variant &variant = graph.variant();
  for (const sched::Channel *channel : *variant.channels()) {
    double latency = 0;
    for (uint32_t hop = 0; hop < channel->path_count(); ++hop)
      latency += machine.link(variant.paths()->Get(channel->path_begin() + hop))
                     .latency();
    latencies_.push_back(latency);
  }
  uint32_t first = 0;
  for (uint32_t fold = 0; fold < graph.numFolds(); ++fold) {
    const double moved =
        double(graph.fold(fold).sources + graph.fold(fold).destinations) * 0.5 *
        cut.chunkBytes[graph.fold(fold).tree];
    weights_.push_back(
        costs.step +
        (costs.rate > 0 ? moved / (costs.rate * kBytesPerMicrosecond) : 0));
    if (graph.nextInLane(fold) == kNone) {
      lastInLane_[first] = fold;
      first = fold + 1;
    }
  }
}

} // namespace blink::verify
