//===- Schedules.cpp - schedules for the storm ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/storm/Schedules.h"
#include "schedules/Collectives.h"
#include "test/conformance/Case.h"

#include "test/common/BundleBuilder.h"
#include "test/common/Cluster.h"
#include "test/common/Folders.h"
#include "test/common/SwitchedStars.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>

using namespace blink::test;

namespace blink::storm {
namespace {

//===-- What a file has ---------------------------------------------------===//

void noteBorders(const sched::Variant &variant, uint64_t blocks,
                 std::set<uint64_t> &borders) {
  borders.insert(variant.min_bytes());
  uint64_t slots = 1, numerator = 1, denominator = 1;
  for (const sched::Channel *channel : *variant.channels())
    slots = std::max<uint64_t>(slots, channel->slots());
  for (const sched::Tree *tree : *variant.trees())
    if (uint64_t(tree->numerator()) * denominator >=
        numerator * tree->denominator()) {
      numerator = tree->numerator();
      denominator = tree->denominator();
    }
  // Sizes at which the largest tree has these numbers of chunks, of the
  // smallest and of the largest chunk size.
  for (uint64_t chunk : {uint64_t(64) << 10, uint64_t(variant.chunk_bytes())})
    for (uint64_t chunks : {uint64_t(1), uint64_t(2), uint64_t(3), uint64_t(4),
                            uint64_t(5), slots, slots + 1, 2 * slots}) {
      const uint64_t bytes = chunk * chunks * denominator / numerator * blocks;
      if (bytes < variant.max_bytes())
        borders.insert(bytes);
    }
}

/// Adds the programs of a schedule file.
void notePrograms(const std::vector<uint8_t> &bytes, StormSchedule &schedule) {
  std::string error;
  const sched::Schedule *file =
      sched::openSchedule(bytes.data(), bytes.size(), error);
  if (!file)
    throw std::runtime_error("a schedule of the storm's own: " + error);
  for (const sched::Program *program : *file->programs()) {
    const sched::Collective collective = program->collective();
    const uint32_t ranks = program->allocation()->size();
    const uint64_t blocks = std::max(sched::inputBlocks(collective, ranks),
                                     sched::outputBlocks(collective, ranks));
    // At these sizes the runtime changes its methods: borrowing, fetching,
    // workers.
    std::set<uint64_t> borders{4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20};
    for (const sched::Variant *variant : *program->variants()) {
      noteBorders(*variant, blocks, borders);
      if (!sched::isPairwise(collective)) {
        for (const sched::RankProgram *rank : *variant->ranks())
          schedule.lanes = std::max(schedule.lanes, rank->lanes()->size());
        continue;
      }
      std::map<uint32_t, unsigned> ofBlock;
      for (const sched::Tree *tree : *variant->trees())
        schedule.messageTrees =
            std::max(schedule.messageTrees, ++ofBlock[tree->block()]);
    }
    schedule.programs.push_back(
        {collective, int(program->root()), {borders.begin(), borders.end()}});
  }
}

//===-- Schedules made here -----------------------------------------------===//

BuildOptions randomLayout(Dice &dice, Collective collective, int ranks) {
  BuildOptions layout;
  layout.shape = dice.pick(
      {Shape::chain, Shape::star, Shape::binary, Shape::random, Shape::oneHop});
  // An alltoall has ranks^2 blocks.
  const bool many =
      sched::isRouted(collective) && !sched::isRooted(collective) && ranks > 4;
  layout.treesPerBlock = many ? 1 : int(dice.between(1, 3));
  layout.lanes = int(dice.between(1, 3));
  layout.slots = uint16_t(dice.between(1, 4));
  layout.splitRoot = dice.chance(30);
  layout.skewed = dice.chance(50);
  layout.seed = uint32_t(dice.below(1u << 31));
  return layout;
}

/// Returns up to three variants, each with its own trees, lanes and chunks.
std::vector<TestVariant> randomVariants(Dice &dice, Collective collective,
                                        int root, int ranks) {
  std::vector<TestVariant> variants;
  uint64_t begin = 0;
  const size_t number = dice.between(1, 3);
  for (size_t v = 0; v < number; ++v) {
    BuildOptions layout = randomLayout(dice, collective, ranks);
    const bool small = v == 0 && number > 1;
    // The chunk size of a call varies if the variant's chunks are larger than
    // 64 KiB.
    layout.chunkBytes =
        small ? dice.pick({64u, 256u, 1008u, 4096u, 16384u})
              : dice.pick({512u, 4096u, 48u << 10, 64u << 10, 96u << 10,
                           128u << 10, 160u << 10, 256u << 10, 512u << 10});
    TestVariant variant =
        makeSchedule(collective, root, ranks, layout).variant();
    variant.protocol = dice.chance(small ? 75 : 15)
                           ? sched::Protocol::low_latency
                           : sched::Protocol::simple;
    if (dice.chance(30)) { // so it does if the variant says so
      variant.chunks.leastBytes = dice.pick({64u, 448u, 4096u, 32u << 10});
      variant.chunks.leastChunks = dice.pick({1u, 3u, 16u, 60u});
    }
    variant.minBytes = begin;
    begin = small ? dice.pick({400u, 2048u, 10000u, 65536u})
                  : begin + dice.pick({40000u, 200000u, 1u << 20});
    if (v + 1 < number)
      variant.maxBytes = begin;
    variants.push_back(std::move(variant));
  }
  return variants;
}

/// Returns the bytes of the slots of all rings, which all variants share.
uint64_t poolBytes(const TestSchedule &model) {
  std::map<std::pair<int, int>, std::vector<uint64_t>> rings;
  for (const TestProgram &program : model.programs)
    for (const TestVariant &variant : program.variants) {
      std::map<std::pair<int, int>, size_t> used;
      for (const TestChannel &channel : variant.channels) {
        const std::pair<int, int> ends{channel.source, channel.destination};
        std::vector<uint64_t> &list = rings[ends];
        const size_t index = used[ends]++;
        list.resize(std::max(list.size(), index + 1));
        list[index] =
            std::max(list[index],
                     uint64_t(channel.slots) * variant.chunks.bytes *
                         (variant.protocol == sched::Protocol::simple ? 1 : 2));
      }
    }
  uint64_t bytes = 0;
  for (const auto &[ends, list] : rings)
    for (uint64_t ring : list)
      bytes += ring;
  return bytes;
}

void setKinds(Dice &dice, TestSchedule &model) {
  const unsigned staged = dice.pick({0u, 0u, 100u, 50u});
  for (TestProgram &program : model.programs)
    for (TestVariant &variant : program.variants)
      for (TestChannel &channel : variant.channels)
        if (dice.chance(staged))
          channel.kind = sched::ChannelKind::staged;
}

//===-- Servers -----------------------------------------------------------===//

/// The servers of a schedule's GPUs; by default one server without a NIC.
struct Placement {
  std::vector<int> serverOf; ///< of each GPU; empty: no servers
  int servers = 1, rails = 1;

  std::string describe() const {
    return servers == 1 ? ""
                        : " on " + std::to_string(servers) + " servers of " +
                              std::to_string(rails) + " NICs";
  }
};

/// GPUs of a server are adjacent or mixed, and servers rarely have the same
/// number.
Placement choosePlacement(Dice &dice, int gpus) {
  Placement placement;
  const int most = std::min(4, gpus);
  placement.servers = dice.chance(5) ? 1 : int(dice.between(2, uint64_t(most)));
  placement.rails = int(dice.between(1, 3));
  for (int gpu = 0; gpu < gpus; ++gpu) // each server has at least one
    placement.serverOf.push_back(
        gpu < placement.servers ? gpu : int(dice.below(placement.servers)));
  if (dice.chance(50))
    std::sort(placement.serverOf.begin(), placement.serverOf.end());
  else
    dice.shuffle(placement.serverOf);
  return placement;
}

void place(Dice &dice, const Placement &placement, TestSchedule &model) {
  spread(model, placement.serverOf, placement.rails);
  const bool windows = dice.chance(50);
  for (TestProgram &program : model.programs)
    for (TestVariant &variant : program.variants) {
#if BLINK_TEST_CUDA
      variant.protocol = sched::Protocol::simple; // GPUs refuse low_latency
#endif
      for (TestChannel &channel : variant.channels)
        if (windows && channel.kind == sched::ChannelKind::network)
          channel.window = uint16_t(dice.between(0, channel.slots));
    }
}

StormSchedule makeFile(Dice &dice, int ranks, bool spread) {
  TestSchedule model;
  std::vector<Collective> collectives = test::collectives();
  dice.shuffle(collectives);
  if (dice.chance(50)) // fewer collectives repeat more often
    collectives.resize(dice.between(1, 3));
  for (Collective collective : collectives)
    for (int root = 0; root < ranks; ++root) {
      if (root != 0 && !sched::isRooted(collective))
        break;
      TestSchedule one = makeSchedule(collective, root, ranks, {});
      one.programs[0].variants = randomVariants(dice, collective, root, ranks);
      if (sched::traitsOf(collective).reduces && dice.chance(40))
        one.programs[0].accumulate = sched::Accumulation::f32;
      if (model.programs.empty())
        model = one;
      else
        model.programs.push_back(one.programs[0]);
    }
  setKinds(dice, model);
  if (!spread && dice.chance(30))
    leadOverSwitch(model);
  Placement placement;
  if (spread) {
    placement = choosePlacement(dice, ranks);
    place(dice, placement, model);
  }
  constexpr uint64_t kMostPool = 64 << 20;
  while (poolBytes(model) > kMostPool)
    for (TestProgram &program : model.programs)
      for (TestVariant &variant : program.variants)
        if (variant.chunks.bytes >= 48 << 10)
          variant.chunks.bytes /= 2;
        else if (variant.chunks.bytes >= 64)
          variant.chunks.bytes = variant.chunks.bytes / 32 * 16;
  StormSchedule schedule;
  schedule.ranks = ranks;
  schedule.bytes = seal(model);
  notePrograms(schedule.bytes, schedule);
  schedule.description = "a schedule of " +
                         std::to_string(schedule.programs.size()) +
                         " programs" + placement.describe();
  return schedule;
}

StormSchedule makeBundleFile(Dice &dice, int ranks, bool spread) {
  BundleOptions options;
  options.collectives.assign(std::begin(sched::kJointCollectives),
                             std::end(sched::kJointCollectives));
  options.numGpus = 8;
  Numbers gpus(8);
  for (size_t gpu = 0; gpu < gpus.size(); ++gpu)
    gpus[gpu] = uint16_t(gpu);
  dice.shuffle(gpus);
  gpus.resize(size_t(ranks));
  StormSchedule schedule;
  schedule.ranks = ranks;
  schedule.gpus.assign(gpus.begin(), gpus.end());
  std::sort(gpus.begin(), gpus.end());
  options.allocations = {gpus};
  options.layout = randomLayout(dice, Collective::alltoall, ranks);
  options.layout.chunkBytes =
      dice.pick({512u, 16u << 10, 96u << 10, 128u << 10});
  Placement placement;
  if (spread) {
    placement = choosePlacement(dice, options.numGpus);
    options.serverOf = placement.serverOf;
    options.rails = placement.rails;
  }
  const TestBundle bundle = makeBundle(options);
  StormSchedule pieces; // they have programs of serving roots only
  for (const std::vector<uint8_t> &piece : bundle.classes.at(0).pieces)
    notePrograms(piece, pieces);
  schedule.lanes = pieces.lanes;
  for (const Program &program : pieces.programs)
    for (int root = 0; root < ranks; ++root)
      if (root == 0 || sched::isRooted(program.collective))
        schedule.programs.push_back(
            {program.collective, root, program.borders});
  schedule.bytes = seal(bundle);
  schedule.description = "a bundle" + placement.describe();
  return schedule;
}

//===-- Files of the compiler's -------------------------------------------===//

constexpr int kRanksOfFiles = 8;

StormSchedule takeFiles(Dice &dice) {
  StormSchedule schedule;
  schedule.ranks = kRanksOfFiles;
  std::string lanes = dice.chance(85) ? "4" : "16";
#if BLINK_TEST_EMULATED && defined(__SANITIZE_THREAD__)
  // 16 lanes of emulated devices are thousands of fibers, and each atomic then
  // has a clock of as many entries: tens of gigabytes.
  lanes = "4";
#endif
  for (const char *collective : {"allreduce", "allgather", "broadcast"}) {
    const std::string path =
        sourceFolder() + "/test/gpu/" + collective + "." + lanes + ".sched";
    std::ifstream file(path, std::ios::binary);
    if (!file)
      throw std::runtime_error(path + ": cannot be read");
    const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
    notePrograms(bytes, schedule);
    schedule.paths.push_back(path);
  }
  schedule.description = "test/gpu/*." + lanes + ".sched";
  return schedule;
}

} // namespace

StormSchedule makeStormSchedule(Dice &dice, int mostRanks, bool spread) {
  uint64_t kind = dice.below(100);
#if BLINK_TEST_CUDA
  if (spread) // bundles of tests use low_latency
    kind = 99;
#endif
  const int ranks = int(2 + dice.skewed(uint64_t(mostRanks) - 2));
  if (kind < 4 && mostRanks >= kRanksOfFiles && !spread)
    return takeFiles(dice);
  return kind < 15 ? makeBundleFile(dice, ranks, spread)
                   : makeFile(dice, ranks, spread);
}

blinkSchedule_t openSchedule(const StormSchedule &schedule) {
  blinkSchedule_t opened = nullptr;
  if (!schedule.bytes.empty()) {
    blinkScheduleOpenMemory(schedule.bytes.data(), schedule.bytes.size(),
                            &opened);
    return opened;
  }
  for (const std::string &path : schedule.paths) {
    const blinkResult_t result = opened
                                     ? blinkScheduleAdd(opened, path.c_str())
                                     : blinkScheduleOpen(path.c_str(), &opened);
    if (result == blinkSuccess)
      continue;
    blinkScheduleClose(opened);
    return nullptr;
  }
  return opened;
}

} // namespace blink::storm
