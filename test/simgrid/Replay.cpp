//===- Replay.cpp - a schedule's messages on SimGrid ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Replays a .sched file on the links of its machine in SimGrid, which is
// independent of Blink. Every lane is an actor, and so is whatever carries the
// chunks of a channel. It shares with compiler/simulate only the file, the
// runtime's rules of addressing, and the model: lanes cost nothing, links are
// shared max-min fairly, a chunk and the news of a free slot arrive a latency
// late, and a channel sends one chunk at a time. A channel between servers has
// no more chunks on their way than its window, and its share of a link is
// weighted by all chunks that wait in the window. With low_latency a chunk
// moves in waves (schedules/ChunkSize.h).
//
//   blink_simgrid FILE.sched BYTES        prints microseconds
//
// Replays the first program; BYTES is the size of the larger buffer.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Program.h"
#include "schedules/ChunkSize.h"
#include "schedules/Collectives.h"
#include "schedules/ScheduleFile.h"
#include "test/simgrid/Channel.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace blink;
using namespace blink::test;

namespace {

constexpr double kMicrosecond = 1e-6;

class Replay {
public:
  Replay(s4u::Engine &engine, const sched::Schedule &file, uint64_t bytes);
  /// Returns the time in seconds.
  double run();

private:
  bool isLowLatency() const {
    return variant_->protocol() == sched::Protocol::low_latency;
  }
  void makeTrees(const sched::Program &program, uint64_t bytes);
  void makeLinks(const sched::Topology &topology);
  void makeChannels();
  void startLane(const sched::RankProgram &rank, const sched::Lane &lane);
  void runLane(const sched::RankProgram &rank, const sched::Lane &lane);

  s4u::Engine &engine_;
  const sched::Topology &topology_;
  const sched::Variant *variant_ = nullptr;
  s4u::NetZone *zone_ = nullptr;
  std::vector<s4u::Link *> links_;
  std::vector<Tree> trees_;
  double largestChunk_ = 0;
  std::unique_ptr<const Sharing> sharing_;
  std::deque<Channel> channels_;
  double ended_ = 0;
};

} // namespace

Replay::Replay(s4u::Engine &engine, const sched::Schedule &file, uint64_t bytes)
    : engine_(engine), topology_(*file.topology()) {
  const sched::Program &program = **file.programs()->begin();
  for (const sched::Variant *variant : *program.variants())
    if (bytes >= variant->min_bytes())
      variant_ = variant;
  makeTrees(program, bytes);
  makeLinks(topology_);
  makeChannels();
  for (const sched::RankProgram *rank : *variant_->ranks())
    for (const sched::Lane *lane : *rank->lanes())
      startLane(*rank, *lane);
}

void Replay::makeTrees(const sched::Program &program, uint64_t bytes) {
  const auto numRanks = int(program.allocation()->size());
  runtime::CallShape shape;
  shape.elementBytes = 1;
  shape.count =
      bytes / uint64_t(sched::blocksOfBuffer(program.collective(), numRanks));
  std::vector<runtime::ElementRange> ranges;
  std::map<uint32_t, uint32_t> before; // by block
  uint64_t largest = 0;
  for (const sched::Tree *tree : *variant_->trees()) {
    uint32_t &begin = before[tree->block()];
    ranges.push_back(
        shape.rangeOf({begin, tree->numerator(), tree->denominator()}));
    begin += tree->numerator();
    largest = std::max(largest, ranges.back().size());
  }
  shape.chunkBytes =
      uint32_t(sched::chunkBytesOfCall(sched::chunksOf(*variant_), largest));
  shape.rounds = std::max<uint64_t>(1, (largest + shape.chunkBytes - 1) /
                                           shape.chunkBytes);
  for (const runtime::ElementRange &range : ranges) {
    const uint32_t chunk = shape.chunkBytesOf(range);
    trees_.push_back({range.size(), chunk, runtime::chunkCount(range, 1, chunk),
                      isLowLatency() ? sched::kWaveBytes : chunk});
    largestChunk_ = std::max(largestChunk_, double(chunk));
  }
}

void Replay::makeLinks(const sched::Topology &topology) {
  zone_ = s4u::create_full_zone("machine");
  for (const sched::Link *link : *topology.links())
    links_.push_back(zone_
                         ->create_link("link" + std::to_string(links_.size()),
                                       link->bandwidth() * 1e9)
                         ->set_latency(0)
                         ->seal());
}

/// Channels between the same ranks may take different paths, but two hosts have
/// only one route to each other. A rank therefore has as many hosts as the
/// maximum number of different paths to one other rank.
void Replay::makeChannels() {
  using Path = std::vector<uint32_t>;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Path>> paths;
  std::map<std::pair<uint32_t, size_t>, s4u::Host *> hosts;
  auto hostOf = [&](uint32_t rank, size_t path) {
    s4u::Host *&host = hosts[{rank, path}];
    if (!host)
      host = zone_->create_host(
          std::to_string(rank) + "/" + std::to_string(path), 1e9);
    return host;
  };
  for (const sched::Channel *channel : *variant_->channels()) {
    const uint32_t source = channel->source(), to = channel->destination();
    Path path;
    double latency = 0;
    for (uint32_t i = 0; i < channel->path_count(); ++i) {
      path.push_back(variant_->paths()->Get(channel->path_begin() + i));
      latency += topology_.links()->Get(path.back())->latency() * kMicrosecond;
    }
    std::vector<Path> &known = paths[{source, to}];
    const auto place = std::find(known.begin(), known.end(), path);
    const auto number = size_t(place - known.begin());
    Channel &made = channels_.emplace_back();
    made.from = hostOf(source, number);
    made.to = hostOf(to, number);
    if (place == known.end()) {
      std::vector<s4u::LinkInRoute> route;
      for (uint32_t link : path)
        route.emplace_back(links_[link]);
      zone_->add_route(made.from->get_netpoint(), made.to->get_netpoint(),
                       nullptr, nullptr, route, /*symmetrical=*/false);
      known.push_back(path);
    }
    made.tree = &trees_[channel->tree()];
    made.free = s4u::Semaphore::create(channel->slots());
    made.arrivals = std::make_unique<Delayed>(
        latency, [&made] { made.arrived->release(); });
    made.news = std::make_unique<Delayed>(latency, [&made] { made.isFree(); });
    made.isWeighted = channel->kind() == sched::ChannelKind::network;
    made.chunkWeight = double(made.tree->chunkBytes) / largestChunk_;
    if (channel->window() > 0) {
      made.window = channel->window();
      made.inWindow = s4u::Semaphore::create(channel->window());
    }
  }
  zone_->seal();
  sharing_ = std::make_unique<Sharing>(engine_);
  const double wireBytes = isLowLatency() ? 2 : 1;
  for (Channel &channel : channels_) {
    s4u::Actor::create("sends", channel.from, [this, &channel, wireBytes] {
      channel.send(wireBytes, *sharing_);
    })->daemonize();
    s4u::Actor::create("arrives", channel.to, [&channel] {
      channel.arrivals->carry();
    })->daemonize();
    s4u::Actor::create("frees", channel.from, [&channel] {
      channel.news->carry();
    })->daemonize();
  }
}

void Replay::startLane(const sched::RankProgram &rank,
                       const sched::Lane &lane) {
  s4u::Actor::create("lane", engine_.get_all_hosts().front(),
                     [this, &rank, &lane] {
                       runLane(rank, lane);
                       ended_ = std::max(ended_, s4u::Engine::get_clock());
                     });
}

void Replay::runLane(const sched::RankProgram &rank, const sched::Lane &lane) {
  uint64_t rounds = 0;
  auto stepAt = [&](uint32_t i) -> const sched::Step & {
    return *rank.steps()->Get(lane.steps_begin() + i);
  };
  for (uint32_t i = 0; i < lane.steps_count(); ++i)
    if (const Tree &tree = trees_[stepAt(i).tree()]; tree.chunks > 0)
      rounds = std::max(rounds, tree.chunks + stepAt(i).delay());
  for (uint64_t round = 0; round < rounds; ++round)
    for (uint32_t i = 0; i < lane.steps_count(); ++i) {
      const sched::Step &step = stepAt(i);
      if (round < step.delay() ||
          round - step.delay() >= trees_[step.tree()].chunks)
        continue;
      auto channels = [&](uint32_t begin, uint32_t count, auto what) {
        for (uint32_t o = begin; o < begin + count; ++o)
          if (const sched::Operand &operand = *rank.operands()->Get(o);
              operand.kind() == sched::OperandKind::channel)
            what(channels_[operand.index()]);
      };
      const uint32_t sources = step.operands_begin();
      const uint32_t destinations = sources + step.sources();
      const uint64_t waves = trees_[step.tree()].wavesOf(round - step.delay());
      for (uint64_t wave = 0; wave < waves; ++wave) {
        channels(sources, step.sources(),
                 [](Channel &channel) { channel.arrived->acquire(); });
        if (wave == 0)
          channels(destinations, step.destinations(),
                   [](Channel &channel) { channel.free->acquire(); });
        if (wave + 1 == waves)
          channels(sources, step.sources(),
                   [](Channel &channel) { channel.news->say(); });
        channels(destinations, step.destinations(),
                 [](Channel &channel) { channel.write(); });
      }
    }
}

double Replay::run() {
  engine_.run();
  return ended_;
}

int main(int argc, char **argv) {
  // Fluid flows without TCP effects, and small stacks without guard pages,
  // since there are thousands of actors.
  std::vector<std::string> words = {argv[0],
                                    "--cfg=network/model:CM02",
                                    "--cfg=network/TCP-gamma:0",
                                    "--cfg=network/crosstraffic:0",
                                    "--cfg=contexts/guard-size:0",
                                    "--cfg=contexts/stack-size:64",
                                    "--log=root.thresh:error"};
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  auto count = int(pointers.size());
  s4u::Engine engine(&count, pointers.data());
  if (argc != 3) {
    std::fprintf(stderr, "usage: blink_simgrid FILE.sched BYTES\n");
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  const std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(in)), {});
  std::string error;
  const sched::Schedule *file =
      sched::openSchedule(bytes.data(), bytes.size(), error);
  if (!file) {
    std::fprintf(stderr, "%s: %s\n", argv[1], error.c_str());
    return 2;
  }
  Replay replay(engine, *file, std::strtoull(argv[2], nullptr, 10));
  std::printf("%.3f\n", replay.run() / kMicrosecond);
  return 0;
}
