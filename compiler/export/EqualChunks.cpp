//===- EqualChunks.cpp - shares of trees as numbers of chunks -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/export/EqualChunks.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace blink;

/// The limit is low as a message must be a whole number of chunks per block.
static constexpr unsigned kMostChunks = 1024;
static constexpr double kGoodLoad = 1.01;
static constexpr double kSameLoad = 1e-9;

using TreeRange = std::pair<size_t, size_t>; // of a block: [first, second)

static std::vector<TreeRange> blocksOf(const sched::Variant &variant) {
  std::vector<TreeRange> blocks;
  const auto &trees = *variant.trees();
  for (size_t begin = 0, end = 0; begin < trees.size(); begin = end) {
    while (end < trees.size() &&
           trees.Get(end)->block() == trees.Get(begin)->block())
      ++end;
    blocks.push_back({begin, end});
  }
  return blocks;
}

namespace {
/// Cuts blocks into chunks such that the links stay evenly loaded.
class Cutter {
public:
  Cutter(const sched::Topology &machine, const sched::Variant &variant,
         llvm::ArrayRef<uint32_t> numerators)
      : machine_(machine), variant_(variant), numerators_(numerators),
        blocks_(blocksOf(variant)), links_(variant.trees()->size()) {
    for (const sched::Channel *channel : *variant.channels())
      for (uint32_t i = 0; i < channel->path_count(); ++i)
        links_[channel->tree()].push_back(
            variant.paths()->Get(channel->path_begin() + i));
  }

  const std::vector<TreeRange> &blocks() const { return blocks_; }
  EqualChunks cut(unsigned perBlock);

private:
  /// Adds `chunks` chunks of `tree` to the loads, which are times.
  void load(size_t tree, double chunks) {
    for (uint32_t link : links_[tree])
      loads_[link] += chunks / machine_.links()->Get(link)->bandwidth();
  }
  /// Returns the load of the busiest of the tree's links with one more chunk.
  double busiestWith(size_t tree) {
    load(tree, 1);
    double most = 0;
    for (uint32_t link : links_[tree])
      most = std::max(most, loads_[link]);
    load(tree, -1);
    return most;
  }

  const sched::Topology &machine_;
  const sched::Variant &variant_;
  const llvm::ArrayRef<uint32_t> numerators_; // by tree
  const std::vector<TreeRange> blocks_;
  std::vector<std::vector<uint32_t>> links_; // by tree, once per crossing
  std::vector<double> loads_;                // by link
};
} // namespace

/// Rounds each tree's share down, then hands out the remaining chunks one by
/// one, each to the tree with which the busiest link gets the least load.
EqualChunks Cutter::cut(unsigned perBlock) {
  const auto &trees = *variant_.trees();
  EqualChunks chunks;
  chunks.perBlock = perBlock;
  chunks.first.resize(trees.size());
  std::vector<size_t> candidates; // trees that were rounded down
  loads_.assign(machine_.links()->size(), 0);
  for (size_t t = 0; t < trees.size(); ++t)
    load(t, double(perBlock) * numerators_[t] / trees.Get(t)->denominator());
  const double exact = *llvm::max_element(loads_);

  loads_.assign(machine_.links()->size(), 0);
  for (size_t t = 0; t < trees.size(); ++t) {
    const uint64_t product = uint64_t(perBlock) * numerators_[t];
    chunks.count.push_back(product / trees.Get(t)->denominator());
    if (product % trees.Get(t)->denominator())
      candidates.push_back(t);
    load(t, chunks.count[t]);
  }
  chunks.isExact = candidates.empty();
  for (auto [begin, end] : blocks_) {
    unsigned left = perBlock;
    for (size_t t = begin; t < end; ++t)
      left -= chunks.count[t];
    for (; left > 0; --left) {
      auto best = candidates.end();
      double least = INFINITY;
      for (auto it = candidates.begin(); it != candidates.end(); ++it)
        if (*it >= begin && *it < end) {
          const double busiest = busiestWith(*it);
          if (busiest < least - kSameLoad) {
            least = busiest;
            best = it;
          }
        }
      load(*best, 1);
      ++chunks.count[*best];
      candidates.erase(best);
    }
    for (size_t t = begin, next = 0; t < end; ++t) {
      chunks.first[t] = next;
      next += chunks.count[t];
    }
  }
  const double time = *llvm::max_element(loads_);
  chunks.load = time / exact;
  chunks.rate = double(perBlock) * double(blocks_.size()) / time;
  return chunks;
}

EqualChunks blink::equalChunksFor(const sched::Topology &machine,
                                  const sched::Variant &variant,
                                  llvm::ArrayRef<uint32_t> numerators,
                                  llvm::ArrayRef<unsigned> wanted) {
  Cutter cutter(machine, variant, numerators);
  unsigned least = 1;
  for (auto [begin, end] : cutter.blocks()) {
    unsigned ofBlock = 0;
    for (size_t t = begin; t < end; ++t)
      ofBlock += wanted[t];
    while (least < ofBlock && least < kMostChunks)
      least *= 2;
  }
  EqualChunks best;
  for (unsigned perBlock = least; perBlock <= kMostChunks; perBlock *= 2) {
    EqualChunks chunks = cutter.cut(perBlock);
    if (best.perBlock == 0 || chunks.load < best.load - kSameLoad)
      best = std::move(chunks);
    if (best.load <= kGoodLoad)
      break;
  }
  return best;
}
