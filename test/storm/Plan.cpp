//===- Plan.cpp - plans a job of the storm --------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/storm/Plan.h"

#include "test/conformance/Elements.h"

#include <algorithm>

using namespace blink::test;

namespace blink::storm {
namespace {

/// Mostly chooses one thread per rank: then the calls of no two ranks are tied
/// together.
std::vector<std::vector<int>> chooseDrivers(Dice &dice, int ranks) {
  const uint64_t kind = dice.below(100);
  const size_t number =
      kind < 65 ? size_t(ranks)
                : (kind < 80 ? 1 : size_t(dice.between(1, uint64_t(ranks))));
  std::vector<int> order;
  for (int rank = 0; rank < ranks; ++rank)
    order.push_back(rank);
  if (number != size_t(ranks))
    dice.shuffle(order);
  std::vector<std::vector<int>> drivers(number);
  for (size_t i = 0; i < order.size(); ++i)
    drivers[i < number ? i : dice.below(number)].push_back(order[i]);
  return drivers;
}

DelayPlan chooseDelays(Dice &dice) {
  DelayPlan delays;
  if (dice.chance(15))
    return delays; // full speed
  // Either few long delays or many short ones.
  delays.callPercent = dice.pick({0u, 2u, 10u, 40u});
  delays.mostCallDelay = 4000 / (delays.callPercent + 1);
  delays.stepPercent = dice.pick({0u, 1u, 5u, 30u});
  delays.mostStepDelay = 1500 / (delays.stepPercent + 1);
  delays.oneRank = dice.chance(75);
  delays.oneLane = dice.chance(25);
  return delays;
}

/// Returns whether the devices can run the lanes of all ranks at the same time.
bool fits(const StormSchedule &schedule, const Limits &limits) {
  return unsigned(schedule.ranks) <=
         unsigned(limits.devices) *
             (limits.residentLanes / schedule.allLanes());
}

/// Chooses the device of each rank. All lanes of a device must run at the same
/// time, so it has no more ranks than fit.
std::vector<int> chooseDevices(Dice &dice, int ranks, unsigned lanes,
                               const Limits &limits) {
  const int used =
      int(dice.between(1, uint64_t(std::min(ranks, limits.devices))));
  const bool even = dice.chance(50);
  std::vector<unsigned> numLanes(size_t(limits.devices));
  std::vector<int> devices;
  for (int rank = 0; rank < ranks; ++rank) {
    int device = even ? rank % used : int(dice.below(uint64_t(used)));
    for (int tries = 0; tries < limits.devices &&
                        numLanes[size_t(device)] + lanes > limits.residentLanes;
         ++tries)
      device = (device + 1) % limits.devices;
    numLanes[size_t(device)] += lanes;
    devices.push_back(device);
  }
  return devices;
}

struct Scale {
  uint64_t mostBytes;
  unsigned calls;
};

/// Mostly chooses many small calls, sometimes a few large ones.
Scale chooseScale(Dice &dice, int ranks) {
  const uint64_t kind = dice.below(100);
  if (kind < 40)
    return {64 << 10, unsigned(dice.between(100, 400))};
  if (kind < 85)
    return {dice.pick({1u << 20, 2u << 20}), unsigned(dice.between(40, 120))};
  if (kind < 97 || ranks > 3)
    return {8 << 20, unsigned(dice.between(15, 40))};
  return {64 << 20, unsigned(dice.between(3, 8))};
}

} // namespace

JobPlan planJob(uint64_t seed, unsigned number, const Limits &limits) {
  Dice dice(seed, {ofJob, number});
  JobPlan job;
  job.seed = seed;
  job.number = number;
  // Ranks that join by id need a GPU each, or they would wait for each other
  // forever.
  const int mostRanks = limits.servers
                            ? std::min(limits.mostRanks, limits.devices)
                            : limits.mostRanks;
  do
    job.schedule = makeStormSchedule(dice, mostRanks, limits.servers);
  while (!fits(job.schedule, limits));
  const int ranks = job.ranks();
  const Scale scale = chooseScale(dice, ranks);
  job.calls = scale.calls;
  job.mostBytes = std::min(scale.mostBytes, limits.mostBytes);
  job.drivers = chooseDrivers(dice, ranks);
  job.devices = chooseDevices(dice, ranks, job.schedule.allLanes(), limits);
  job.mostCallsInGroup = dice.chance(50) ? 1 : unsigned(dice.between(2, 5));
  job.window = unsigned(1 + dice.skewed(15));
  job.delays = chooseDelays(dice);
  job.ownMemory = dice.chance(50);
  job.windowPercent = dice.pick({0u, 1u, 5u, 25u});
  job.byId = dice.chance(20) && ranks <= std::min(4, limits.devices);
  job.processes = job.byId && limits.processes && dice.chance(50);
  if (limits.servers)
    job.byId = job.processes = true;
  for (int rank = 0; job.byId && rank < ranks; ++rank) {
    job.drivers.resize(size_t(ranks));
    job.drivers[size_t(rank)] = {rank};
    job.devices[size_t(rank)] = rank;
  }
  return job;
}

std::string JobPlan::describe() const {
  return "job " + std::to_string(number) + ": " + schedule.description + ", " +
         std::to_string(ranks()) + " ranks, " + std::to_string(drivers.size()) +
         (processes ? " processes, " : " threads, ") + std::to_string(calls) +
         " calls of at most " + std::to_string(mostBytes) + " bytes";
}

CallSequence::CallSequence(const JobPlan &job)
    : job_(job), dice_(job.seed, {ofSequence, job.number}) {}

void CallSequence::startBurst() {
  left_ = unsigned(1 + dice_.skewed(15));
  program_ = &dice_.pick(job_.schedule.programs);
  sizes_ = dice_.pick({Sizes::tiny, Sizes::tiny, Sizes::border, Sizes::border,
                       Sizes::mixed, Sizes::any});
  steady_ = dice_.chance(50);
  last_.type = dice_.pick(kTypes);
  last_.op = dice_.pick(kOps);
}

size_t CallSequence::nextCount(Sizes sizes, uint64_t elementBytes) {
  const uint32_t ranks = uint32_t(job_.ranks());
  const uint64_t unit =
      elementBytes * std::max(sched::inputBlocks(program_->collective, ranks),
                              sched::outputBlocks(program_->collective, ranks));
  const uint64_t most = job_.mostBytes / unit;
  uint64_t count = 0;
  switch (sizes) {
  case Sizes::mixed:
    return nextCount(dice_.pick({Sizes::tiny, Sizes::border, Sizes::any}),
                     elementBytes);
  case Sizes::tiny:
    count = dice_.skewed(300);
    break;
  case Sizes::border: {
    // The borders are sorted; those above the job's limit cannot be used.
    const std::vector<uint64_t> &borders = program_->borders;
    const auto end =
        std::upper_bound(borders.begin(), borders.end(), job_.mostBytes);
    const auto blocks =
        uint64_t(blocksOfBuffer(program_->collective, int(ranks)));
    count = borders[dice_.below(uint64_t(end - borders.begin()))] /
            (elementBytes * blocks);
    count += dice_.below(3);
    count -= count != 0;
    break;
  }
  case Sizes::any:
    count = dice_.skewed(most);
    break;
  }
  return std::min(count, most);
}

Case CallSequence::next() {
  if (left_ == 0)
    startBurst();
  --left_;
  Case &c = last_;
  if (!steady_) {
    c.type = dice_.pick(kTypes);
    c.op = dice_.pick(kOps);
  }
  c.collective = program_->collective;
  c.root = program_->root;
  c.count = nextCount(sizes_, uint64_t(bytesOf(c.type)));
  Case made = c;
  if (!reduces(c.collective) || !hasReduction(c.type, c.op))
    made.op = blinkSum;
  return made;
}

} // namespace blink::storm
