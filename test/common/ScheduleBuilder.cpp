//===- ScheduleBuilder.cpp - schedules for tests --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/common/ScheduleBuilder.h"

#include <algorithm>

namespace blink::test {
namespace {

using sched::OperandKind;

bool goesUp(Collective collective) {
  return collective == Collective::allreduce ||
         collective == Collective::reduce ||
         collective == Collective::reducescatter;
}
bool goesDown(Collective collective) {
  return collective == Collective::allreduce ||
         collective == Collective::broadcast ||
         collective == Collective::allgather;
}

/// Whether the collective has a block for each pair of ranks.
bool hasPairs(Collective collective) {
  return collective == Collective::alltoall ||
         collective == Collective::sendrecv;
}

/// Returns the rank at the other end of the chain that carries a block.
int farRank(Collective collective, uint32_t block, int numRanks) {
  return int(hasPairs(collective) ? block % numRanks : block);
}

/// Writes the folds of a forest, rank by rank, into a variant.
class ForestWriter {
public:
  ForestWriter(Collective collective, int numRanks, TestVariant &variant,
               const BuildOptions &options)
      : collective_(collective), numRanks_(numRanks), variant_(variant),
        options_(options), lanes_(numRanks) {}

  void write() {
    for (uint32_t tree = 0; tree < variant_.trees.size(); ++tree)
      if (isRouted(collective_))
        writeChain(tree);
      else if (options_.shape == Shape::oneHop &&
               collective_ == Collective::allreduce)
        writeOneHop(tree);
      else
        writeTree(tree);
    if (options_.skewed && options_.slots > 1)
      skew();
    variant_.ranks.resize(numRanks_);
    for (int rank = 0; rank < numRanks_; ++rank)
      variant_.ranks[rank] = rankOf(lanes_[rank]);
  }

private:
  /// Delays each fold by at least a round relative to the folds whose chunks it
  /// reads, while at least one slot of each channel stays free. Then sorts each
  /// lane by delay.
  void skew() {
    std::vector<TestFold *> readers(variant_.channels.size());
    std::vector<TestFold *> writers(variant_.channels.size());
    for (TestLanes &rank : lanes_)
      for (auto &lane : rank)
        for (TestFold &fold : lane) {
          for (const TestOperand &from : fold.sources)
            if (from.kind == sched::OperandKind::channel)
              readers[from.index] = &fold;
          for (const TestOperand &to : fold.destinations)
            if (to.kind == sched::OperandKind::channel)
              writers[to.index] = &fold;
        }
    for (bool moved = true; moved;) {
      moved = false;
      auto raise = [&](TestFold &fold, int delay) {
        moved |= fold.delay < delay;
        fold.delay = uint16_t(std::max<int>(fold.delay, delay));
      };
      for (size_t c = 0; c < readers.size(); ++c) {
        raise(*readers[c], writers[c]->delay + 1);
        raise(*writers[c], readers[c]->delay - (options_.slots - 1));
      }
      // A root that reads its output back writes it earlier, in the same lane.
      for (TestLanes &rank : lanes_)
        for (auto &lane : rank)
          for (size_t i = 1; i < lane.size(); ++i)
            if (lane[i].sources[0].kind == sched::OperandKind::output)
              raise(lane[i], lane[i - 1].delay);
    }
    for (TestLanes &rank : lanes_)
      for (auto &lane : rank)
        std::stable_sort(lane.begin(), lane.end(),
                         [](const TestFold &a, const TestFold &b) {
                           return a.delay < b.delay;
                         });
  }

  uint32_t addChannel(uint32_t tree, int source, int destination) {
    TestChannel channel;
    channel.tree = tree;
    channel.pathBegin = uint32_t(variant_.paths.size());
    channel.pathCount = 1;
    channel.source = uint16_t(source);
    channel.destination = uint16_t(destination);
    channel.slots = options_.slots;
    variant_.paths.push_back(source * (numRanks_ - 1) + destination -
                             (destination > source));
    variant_.channels.push_back(channel);
    return uint32_t(variant_.channels.size() - 1);
  }

  /// Adds the fold to a lane of `rank`; `part` is 0 for the way up, 1 for the
  /// way down.
  void addFold(int rank, int part, TestFold fold) {
    size_t lane = (fold.tree * 2 + part) % options_.lanes;
    if (lanes_[rank].size() <= lane)
      lanes_[rank].resize(lane + 1);
    lanes_[rank][lane].push_back(std::move(fold));
  }

  void writeTree(uint32_t index) {
    const TestTree tree = variant_.trees[index];
    const bool up = goesUp(collective_), down = goesDown(collective_);
    const TestOperand input{
        OperandKind::input,
        collective_ == Collective::reducescatter ? tree.block : 0u};
    const TestOperand output{OperandKind::output,
                             collective_ == Collective::allgather ? tree.block
                                                                  : 0u};
    std::vector<TestOperand> upOf(numRanks_), downOf(numRanks_);
    for (int rank = 0; rank < numRanks_; ++rank) {
      int parent = tree.parents[rank];
      if (parent >= 0 && up)
        upOf[rank] = {OperandKind::channel, addChannel(index, rank, parent)};
      if (parent >= 0 && down)
        downOf[rank] = {OperandKind::channel, addChannel(index, parent, rank)};
    }
    for (int rank = 0; rank < numRanks_; ++rank) {
      bool isRoot = tree.parents[rank] < 0;
      TestFold rise{index, {input}, {}, false},
          fall{index, {}, {output}, false};
      for (int child = 0; child < numRanks_; ++child) {
        if (tree.parents[child] != rank)
          continue;
        rise.sources.push_back(upOf[child]);
        fall.destinations.push_back(downOf[child]);
      }
      if (!up)
        rise.sources = {input};
      if (!down)
        fall.destinations = {output};
      if (isRoot) {
        rise.completes = up;
        if (options_.splitRoot && up && down && fall.destinations.size() > 1) {
          rise.destinations = {output};
          fall.sources = {output};
          fall.destinations.erase(fall.destinations.begin());
          // Both go into one lane: its order puts the write before the read.
          addFold(rank, 0, rise);
          addFold(rank, 0, fall);
          continue;
        }
        rise.destinations = fall.destinations;
        addFold(rank, 0, rise);
        continue;
      }
      if (up) {
        rise.destinations = {upOf[rank]};
        addFold(rank, 0, rise);
      }
      if (down) {
        fall.sources = {downOf[rank]};
        addFold(rank, 1, fall);
      }
    }
  }

  /// Writes an allreduce without trees (Shape::oneHop). Both folds of a rank
  /// are in one lane: in place, the second overwrites what the first reads.
  void writeOneHop(uint32_t index) {
    const TestOperand input{OperandKind::input, 0};
    const TestOperand output{OperandKind::output, 0};
    std::vector<TestFold> sends(numRanks_), adds(numRanks_);
    for (int from = 0; from < numRanks_; ++from) {
      sends[from] = {index, {input}, {}, false};
      for (int to = 0; to < numRanks_; ++to) {
        if (to == from) {
          adds[to].sources.push_back(input);
          continue;
        }
        TestOperand channel{OperandKind::channel, addChannel(index, from, to)};
        sends[from].destinations.push_back(channel);
        adds[to].sources.push_back(channel);
      }
    }
    for (int rank = 0; rank < numRanks_; ++rank) {
      if (numRanks_ > 1)
        addFold(rank, 0, sends[rank]);
      addFold(rank, 0, {index, adds[rank].sources, {output}, true});
    }
  }

  /// Writes the chain of the tree between its root and the far rank, directed
  /// to the root in a gather.
  void writeChain(uint32_t index) {
    const TestTree &tree = variant_.trees[index];
    const bool gathers = collective_ == Collective::gather;
    const uint32_t far = farRank(collective_, tree.block, numRanks_);
    std::vector<int> ranks;
    for (int at = int(far); at >= 0; at = tree.parents[at])
      ranks.push_back(at);
    if (!gathers)
      std::reverse(ranks.begin(), ranks.end());
    TestOperand source{OperandKind::input, gathers ? 0 : far};
    for (size_t hop = 0; hop + 1 < ranks.size(); ++hop) {
      TestOperand channel{OperandKind::channel,
                          addChannel(index, ranks[hop], ranks[hop + 1])};
      addFold(ranks[hop], 0, {index, {source}, {channel}, false});
      source = channel;
    }
    TestOperand output{OperandKind::output, gathers                 ? far
                                            : hasPairs(collective_) ? tree.root
                                                                    : 0u};
    addFold(ranks.back(), 0, {index, {source}, {output}, false});
  }

  Collective collective_;
  int numRanks_;
  TestVariant &variant_;
  const BuildOptions &options_;
  std::vector<TestLanes> lanes_; // of each rank
};

uint16_t depthOf(const std::vector<int> &parents) {
  int depth = 0;
  for (size_t rank = 0; rank < parents.size(); ++rank) {
    int hops = 0;
    for (int at = int(rank); parents[at] >= 0; at = parents[at])
      ++hops;
    depth = std::max(depth, hops);
  }
  return uint16_t(depth);
}

/// Returns the rate at which no link (1 GB/s each) is loaded beyond its
/// bandwidth.
double sustainedRate(const TestVariant &variant, size_t numLinks,
                     uint32_t numBlocks) {
  std::vector<double> loads(numLinks, 0);
  for (const TestChannel &channel : variant.channels) {
    const TestTree &tree = variant.trees[channel.tree];
    loads[variant.paths[channel.pathBegin]] +=
        double(tree.numerator) / tree.denominator / numBlocks;
  }
  double most = 0;
  for (double load : loads)
    most = std::max(most, load);
  return 1 / most;
}

template <typename To, typename From, typename Function>
std::vector<To> mapped(const std::vector<From> &from, Function function) {
  std::vector<To> to;
  for (const From &item : from)
    to.push_back(function(item));
  return to;
}

flatbuffers::Offset<sched::Variant>
writeVariant(flatbuffers::FlatBufferBuilder &builder, const TestVariant &v) {
  auto trees = mapped<sched::Tree>(v.trees, [](const TestTree &t) {
    return sched::Tree(t.numerator, t.denominator, t.block, t.root, t.depth);
  });
  auto channels = mapped<sched::Channel>(v.channels, [](const TestChannel &c) {
    return sched::Channel(c.tree, c.pathBegin, c.pathCount, c.source,
                          c.destination, c.slots, c.window, c.kind);
  });
  auto ranks = mapped<flatbuffers::Offset<sched::RankProgram>>(
      v.ranks, [&](const TestRank &r) {
        auto lanes = mapped<sched::Lane>(r.lanes, [](const TestLane &l) {
          return sched::Lane(l.stepsBegin, l.stepsCount);
        });
        auto steps = mapped<sched::Step>(r.steps, [](const TestStep &s) {
          return sched::Step(s.tree, s.operandsBegin, s.sources, s.destinations,
                             s.completes, s.delay);
        });
        auto operands =
            mapped<sched::Operand>(r.operands, [](const TestOperand &o) {
              return sched::Operand(o.index, o.kind);
            });
        return sched::CreateRankProgramDirect(builder, &lanes, &steps,
                                              &operands);
      });
  return sched::CreateVariantDirect(
      builder, v.minBytes, v.maxBytes, v.protocol, v.chunks.bytes, &trees,
      &channels, &v.paths, &ranks, v.times.empty() ? nullptr : &v.times,
      v.switches.empty() ? nullptr : &v.switches, /*symmetric=*/false,
      v.chunks.leastBytes, uint16_t(v.chunks.leastChunks));
}

} // namespace

TestRank rankOf(const TestLanes &lanes) {
  TestRank rank;
  for (const std::vector<TestFold> &lane : lanes) {
    if (lane.empty())
      continue;
    rank.lanes.push_back({uint32_t(rank.steps.size()), uint32_t(lane.size())});
    for (const TestFold &fold : lane) {
      rank.steps.push_back({fold.tree, uint32_t(rank.operands.size()),
                            uint16_t(fold.sources.size()),
                            uint16_t(fold.destinations.size()), fold.completes,
                            fold.delay});
      for (const auto *list : {&fold.sources, &fold.destinations})
        rank.operands.insert(rank.operands.end(), list->begin(), list->end());
    }
  }
  return rank;
}

TestLanes lanesOf(const TestRank &rank) {
  TestLanes lanes;
  for (const TestLane &lane : rank.lanes) {
    lanes.emplace_back();
    for (uint32_t i = 0; i < lane.stepsCount; ++i) {
      const TestStep &step = rank.steps[lane.stepsBegin + i];
      const auto first = rank.operands.begin() + step.operandsBegin;
      const auto middle = first + step.sources;
      lanes.back().push_back({step.tree,
                              {first, middle},
                              {middle, middle + step.destinations},
                              step.completes,
                              step.delay});
    }
  }
  return lanes;
}

std::vector<uint8_t> seal(const TestSchedule &schedule) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<sched::Node>> nodes;
  for (size_t i = 0; i < schedule.nodes.size(); ++i)
    nodes.push_back(sched::CreateNodeDirect(
        builder, ("node" + std::to_string(i)).c_str(), schedule.nodes[i],
        schedule.multicasts.count(i) > 0, schedule.reduces.count(i) > 0,
        schedule.devices.count(i) ? schedule.devices.at(i).c_str() : nullptr));
  auto links = mapped<sched::Link>(schedule.links, [](const TestLink &l) {
    return sched::Link(l.bandwidth, l.latency, l.from, l.to, l.kind);
  });
  auto topology =
      sched::CreateTopologyDirect(builder, schedule.topologyName.c_str(),
                                  schedule.fingerprint, &nodes, &links);
  auto programs = mapped<flatbuffers::Offset<sched::Program>>(
      schedule.programs, [&](const TestProgram &p) {
        auto variants = mapped<flatbuffers::Offset<sched::Variant>>(
            p.variants,
            [&](const TestVariant &v) { return writeVariant(builder, v); });
        auto certificate =
            sched::CreateCertificateDirect(builder, p.bound, &p.prices);
        return sched::CreateProgramDirect(
            builder, p.collective, p.root, &p.allocation, p.algbw, certificate,
            &variants, &p.relays, sched::ReductionOrder::none, p.accumulate);
      });
  auto provenance =
      sched::writeProvenance(builder, schedule.compiler, schedule.settings);
  auto root =
      sched::CreateScheduleDirect(builder, schedule.formatVersion, provenance,
                                  schedule.linkKinds, topology, &programs);
  return sched::sealSchedule(builder, root);
}

std::vector<int> treeParents(Shape shape, int numRanks, int root,
                             std::mt19937 &random) {
  // `order` numbers the ranks, starting at the root. The parent of the rank at
  // index k is at a smaller index.
  std::vector<int> order(numRanks);
  for (int i = 0; i < numRanks; ++i)
    order[i] = (root + i) % numRanks;
  if (shape == Shape::random)
    for (int i = numRanks - 1; i > 1; --i)
      std::swap(order[i], order[1 + random() % i]);
  std::vector<int> parents(numRanks, -1);
  for (int i = 1; i < numRanks; ++i) {
    int above = shape == Shape::chain    ? i - 1
                : shape == Shape::star   ? 0
                : shape == Shape::oneHop ? 0
                : shape == Shape::binary ? (i - 1) / 2
                                         : int(random() % i);
    parents[order[i]] = order[above];
  }
  return parents;
}

TestSchedule makeSchedule(Collective collective, int root, int numRanks,
                          std::vector<TestTree> trees,
                          const BuildOptions &options) {
  TestSchedule schedule;
  schedule.nodes.assign(numRanks, sched::NodeKind::gpu);
  for (int from = 0; from < numRanks; ++from)
    for (int to = 0; to < numRanks; ++to)
      if (from != to)
        schedule.links.push_back(
            {1, 1, uint32_t(from), uint32_t(to), sched::LinkKind::nvlink});

  TestProgram program;
  program.collective = collective;
  if (sched::isRooted(collective))
    program.root = uint16_t(root);
  for (int rank = 0; rank < numRanks; ++rank)
    program.allocation.push_back(uint16_t(rank));
  TestVariant variant;
  variant.chunks.bytes = options.chunkBytes;
  variant.trees = std::move(trees);
  for (TestTree &tree : variant.trees) {
    tree.depth = depthOf(tree.parents);
    if (isRouted(collective)) {
      tree.depth = 0;
      for (int at = farRank(collective, tree.block, numRanks);
           tree.parents[at] >= 0; at = tree.parents[at])
        ++tree.depth;
    }
  }
  ForestWriter(collective, numRanks, variant, options).write();

  // In sendrecv each message crosses a link of its own; the rates consider
  // nothing else about messages.
  const bool messages = collective == Collective::sendrecv;
  uint32_t numBlocks =
      messages ? 1
               : std::max(sched::inputBlocks(collective, numRanks),
                          sched::outputBlocks(collective, numRanks));
  program.algbw = sustainedRate(variant, schedule.links.size(), numBlocks);
  program.prices.assign(schedule.links.size(), 1);
  // There are n (n - 1) links of 1 GB/s. A tree uses n - 1 of them, or twice as
  // many if data goes up and down.
  bool bothWays = goesUp(collective) && goesDown(collective);
  // A block to or from the root crosses one link; n - 1 of n blocks do so.
  program.bound = numRanks == 1 ? std::numeric_limits<double>::infinity()
                                : numRanks / (bothWays ? 2.0 : 1.0);
  if (isRouted(collective) && sched::isRooted(collective))
    program.bound *= numRanks;
  if (messages && numRanks > 1)
    program.bound = numRanks * (numRanks - 1); // each message crosses one link
  program.variants.push_back(std::move(variant));
  schedule.programs.push_back(std::move(program));
  return schedule;
}

TestSchedule makeSchedule(Collective collective, int root, int numRanks,
                          const BuildOptions &options) {
  std::mt19937 random(options.seed);
  uint32_t numBlocks = sched::inputBlocks(collective, numRanks) *
                       sched::outputBlocks(collective, numRanks);
  std::vector<TestTree> trees;
  for (uint32_t block = 0; block < numBlocks; ++block) {
    std::vector<uint32_t> parts;
    uint32_t sum = 0;
    for (int i = 0; i < options.treesPerBlock; ++i) {
      parts.push_back(1 + random() % 5);
      sum += parts.back();
    }
    for (uint32_t part : parts) {
      TestTree tree;
      tree.numerator = part;
      tree.denominator = sum;
      tree.block = block;
      tree.root =
          uint16_t(hasPairs(collective)                  ? block / numRanks
                   : sched::isRooted(collective)         ? uint32_t(root)
                   : numBlocks > 1                       ? block
                   : collective == Collective::allreduce ? random() % numRanks
                                                         : uint32_t(root));
      const Shape shape =
          collective == Collective::sendrecv ? Shape::star : options.shape;
      tree.parents = treeParents(shape, numRanks, tree.root, random);
      trees.push_back(std::move(tree));
    }
  }
  return makeSchedule(collective, root, numRanks, std::move(trees), options);
}

TestSchedule variedSchedule(Collective collective, int variation,
                            uint32_t chunkBytes, std::mt19937 &random) {
  BuildOptions options;
  options.shape = Shape(variation % 4);
  options.treesPerBlock = 1 + variation % 3;
  options.lanes = 1 + variation % 5;
  options.slots = uint16_t(1 + random() % 4);
  options.skewed = random() % 2 != 0;
  options.seed = uint32_t(random());
  options.chunkBytes = chunkBytes;
  TestSchedule schedule =
      makeSchedule(collective, 0, 2 + int(random() % 6), options);
  // A link of 1 GB/s needs 4 us for 4 KiB.
  const unsigned most = chunkBytes / 4096 * (variation % 2 == 0 ? 30 : 2);
  for (TestLink &link : schedule.links)
    link.latency = double(random() % most);
  return schedule;
}

void addWindows(TestSchedule &schedule, std::mt19937 &random) {
  for (TestChannel &channel : schedule.variant().channels) {
    channel.kind = sched::ChannelKind::network;
    channel.window = uint16_t(random() % (channel.slots + 1u));
  }
}

} // namespace blink::test
