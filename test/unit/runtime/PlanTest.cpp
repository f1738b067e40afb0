//===- PlanTest.cpp - plans of schedules and of bundles -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Plan.h"
#include "runtime/plan/Call.h"
#include "schedules/Hash.h"
#include "test/common/BundleBuilder.h"

#include "doctest/doctest.h"
#include "schedules/Collectives.h"

#include <algorithm>
#include <set>

using namespace blink;
using namespace blink::runtime;
using namespace blink::test;

namespace {

std::vector<Collective> everyCollective() {
  const auto &all = sched::kJointCollectives;
  return {std::begin(all), std::end(all)};
}

ScheduleSet opened(const std::vector<uint8_t> &bytes) {
  ScheduleSet files(1);
  Status status = OpenFile::copy(bytes.data(), bytes.size(), files[0]);
  REQUIRE_MESSAGE(status.ok(), status.text);
  return files;
}

void make(const ScheduleSet &files, int ranks, const std::vector<int> &gpus,
          Plan &plan) {
  Status status = Plan::create(files, ranks, {gpus, ""}, plan);
  REQUIRE_MESSAGE(status.ok(), status.text);
}

uint64_t fingerprint(const ScheduleSet &files, const std::vector<int> &gpus) {
  Plan plan;
  make(files, int(gpus.size()), gpus, plan);
  return plan.fingerprint;
}

BundleOptions everything() {
  BundleOptions options;
  options.numGpus = 5;
  options.collectives = everyCollective();
  options.allocations = allAllocations(5);
  options.layout.shape = Shape::random;
  options.layout.treesPerBlock = 2;
  options.layout.seed = 9;
  return options;
}

/// Checks that each rank runs the ends of channels that belong to it, and that
/// its blocks are those of the collective's definition.
void checkPlaces(const Plan &plan) {
  for (const ProgramPlan &program : plan.programs)
    for (const VariantPlan &variant : program.variants) {
      REQUIRE(int(variant.ranks.size()) == plan.numRanks);
      for (size_t r = 0; r < variant.ranks.size(); ++r) {
        const RankPlan &rank = variant.ranks[r];
        std::set<uint32_t> written;
        for (size_t s = 0; s < rank.borrows.size(); ++s) {
          const StepCode &step = rank.code.steps[s];
          for (uint32_t i = 0; i < step.numOperands(); ++i) {
            const OperandCode &operand =
                rank.code.operands[step.operandsBegin + i];
            if (operand.kind == OperandKind::channel) {
              const RingPlan &ring = plan.rings[variant.rings[operand.index]];
              CHECK((i < step.sources ? ring.destination : ring.source) == r);
            } else if (operand.kind == OperandKind::output) {
              written.insert(operand.index);
            }
          }
        }
        const Collective collective = program.program->collective();
        const bool rooted = collective == Collective::gather ||
                            collective == Collective::reduce;
        const bool many = collective == Collective::allgather ||
                          collective == Collective::gather ||
                          collective == Collective::alltoall;
        CHECK(written.size() == (rooted && program.root != r ? 0
                                 : many ? size_t(plan.numRanks)
                                        : 1));
      }
    }
}

} // namespace

TEST_CASE("plans of bundles are in the job's ranks") {
  const ScheduleSet files = opened(seal(makeBundle(everything())));
  std::mt19937 random(4);
  for (int round = 0; round < 40; ++round) {
    std::vector<int> gpus = {0, 1, 2, 3, 4};
    for (size_t i = gpus.size(); i > 1; --i)
      std::swap(gpus[i - 1], gpus[random() % i]);
    gpus.resize(1 + random() % 5);
    Plan plan;
    make(files, int(gpus.size()), gpus, plan);
    CHECK(plan.programs.size() == 4 + 4 * gpus.size());
    checkPlaces(plan);
    for (Collective collective : everyCollective())
      for (int root = 0; root < int(gpus.size()); ++root) {
        if (root != 0 && !sched::isRooted(collective))
          continue;
        const ProgramPlan *program = nullptr;
        REQUIRE(plan.find(collective, root, program).ok());
        CHECK(program->program->collective() == collective);
        CHECK(program->root == root);
      }
  }
}

TEST_CASE("what is in the file's order is not copied") {
  TestSchedule model = makeSchedule(Collective::allgather, 0, 4, {});
  Plan plan;
  make(opened(seal(model)), 4, {}, plan);
  const VariantPlan &variant = plan.programs[0].variants[0];
  for (uint32_t r = 0; r < 4; ++r) {
    CHECK(variant.ranks[r].renamed.empty());
    CHECK(static_cast<const void *>(variant.ranks[r].code.operands) ==
          variant.variant->ranks()->Get(r)->operands()->Data());
  }
  // An allreduce has no blocks for ranks, in whatever order the ranks are.
  BundleOptions options = everything();
  options.collectives = {Collective::allreduce};
  const ScheduleSet files = opened(seal(makeBundle(options)));
  Plan other;
  make(files, 4, {3, 1, 4, 0}, other);
  for (const RankPlan &rank : other.programs[0].variants[1].ranks)
    CHECK(rank.renamed.empty());
}

TEST_CASE("one copy is an input that its readers put into their outputs") {
  auto oneCopy = [](Collective collective, int ranks, Shape shape) {
    BuildOptions layout;
    layout.shape = shape;
    Plan plan;
    make(opened(seal(makeSchedule(collective, 0, ranks, layout))), ranks, {},
         plan);
    return plan.programs[0].variants[0].oneCopy;
  };
  CHECK(oneCopy(Collective::broadcast, 2, Shape::chain));
  CHECK(oneCopy(Collective::broadcast, 5, Shape::star));
  CHECK(oneCopy(Collective::allgather, 2, Shape::chain));
  CHECK(!oneCopy(Collective::broadcast, 3, Shape::chain)); // passed on
  CHECK(!oneCopy(Collective::allgather, 3, Shape::chain));
  CHECK(!oneCopy(Collective::reduce, 2, Shape::chain)); // reduced
  CHECK(!oneCopy(Collective::allreduce, 2, Shape::chain));
}

TEST_CASE("ranks are in step if no reader lags by more than its slots") {
  const auto isInStep = [](const TestSchedule &model) {
    Plan plan;
    const ScheduleSet files = opened(seal(model));
    make(files, 3, {0, 1, 2}, plan);
    return plan.programs[0].variants[0].inStep;
  };
  BuildOptions layout;
  layout.shape = Shape::chain;
  layout.slots = 4;
  layout.skewed = true;
  TestSchedule model = makeSchedule(Collective::broadcast, 0, 3, layout);
  CHECK(isInStep(model));
  TestStep &last = model.variant().ranks[2].steps.back();
  const TestStep &before = model.variant().ranks[1].steps.back();
  REQUIRE(last.delay >= before.delay);
  last.delay = uint16_t(before.delay + 4);
  CHECK(isInStep(model));
  ++last.delay;
  CHECK(!isInStep(model));
  REQUIRE(before.delay > 0);
  last.delay = uint16_t(before.delay - 1);
  CHECK(!isInStep(model));
}

TEST_CASE("a reader in another process fetches what it copies, no more") {
  BuildOptions layout;
  layout.shape = Shape::chain;
  Plan plan;
  make(opened(seal(makeSchedule(Collective::allreduce, 0, 3, layout))), 3, {},
       plan);
  size_t borrowed = 0, fetched = 0;
  for (const RankPlan &rank : plan.programs[0].variants[0].ranks)
    for (size_t s = 0; s < rank.borrows.size(); ++s) {
      const StepCode &step = rank.code.steps[s];
      const bool toOthers = rank.fetchedBorrows[s] != Borrow::none;
      borrowed += rank.borrows[s] != Borrow::none;
      fetched += toOthers;
      if (toOthers) // a result on its way down
        CHECK(rank.code.operands[step.operandsBegin + step.sources].kind ==
              OperandKind::output);
    }
  CHECK(fetched == 2); // those of the root and the middle
  CHECK(borrowed > fetched);
}

TEST_CASE("a chunk for several is in the slot that is kept longest") {
  BuildOptions layout;
  layout.shape = Shape::star;
  for (uint32_t most = 0; most < 3; ++most) {
    TestSchedule model = makeSchedule(Collective::broadcast, 0, 4, layout);
    model.variant().channels[most].slots = 5;
    Plan plan;
    make(opened(seal(model)), 4, {}, plan);
    const RankPlan &root = plan.programs[0].variants[0].ranks[0];
    REQUIRE(root.sharedSlots.size() == 1);
    const OperandCode &shared =
        root.code
            .operands[root.code.steps[0].operandsBegin + root.sharedSlots[0]];
    CHECK(shared.kind == OperandKind::channel);
    CHECK(shared.index == most);
    // A step that writes one channel has no choice.
    for (uint32_t rank = 1; rank < 4; ++rank)
      CHECK(plan.programs[0].variants[0].ranks[rank].sharedSlots ==
            std::vector<uint32_t>{0});
  }
}

TEST_CASE("a reader on the same device looks at inputs that stay") {
  auto numBorrowed = [](Collective collective, Shape shape, int ranks) {
    BuildOptions layout;
    layout.shape = shape;
    Plan plan;
    make(opened(seal(makeSchedule(collective, 0, ranks, layout))), ranks, {},
         plan);
    const VariantPlan &variant = plan.programs[0].variants[0];
    return std::count(variant.borrowed.begin(), variant.borrowed.end(), true);
  };
  // Inputs of leaves on their way to a reduction.
  CHECK(numBorrowed(Collective::allreduce, Shape::star, 4) == 3);
  CHECK(numBorrowed(Collective::allreduce, Shape::chain, 4) == 1);
  CHECK(numBorrowed(Collective::reduce, Shape::star, 4) == 3);
  CHECK(numBorrowed(Collective::reducescatter, Shape::star, 4) == 4 * 3);
  // All ranks read the inputs, and late: in place, the result would overwrite
  // them.
  CHECK(numBorrowed(Collective::allreduce, Shape::oneHop, 4) == 0);
  // Data that a rank copies to its output is written there directly.
  CHECK(numBorrowed(Collective::broadcast, Shape::chain, 4) == 0);
  CHECK(numBorrowed(Collective::allgather, Shape::star, 4) == 0);
  // Data that a rank only passes on is read where it is: 2 to 1, 3 to 2.
  CHECK(numBorrowed(Collective::gather, Shape::chain, 4) == 2);
}

namespace {

/// Returns an allreduce of three ranks with channels between these ranks and
/// these programs.
Plan planOf(const std::vector<std::pair<uint16_t, uint16_t>> &channels,
            const std::vector<TestLanes> &ranks) {
  BuildOptions layout;
  layout.shape = Shape::oneHop; // has a path from each rank to each other one
  TestSchedule model = makeSchedule(Collective::allreduce, 0, 3, layout);
  TestVariant &variant = model.variant();
  const std::vector<TestChannel> all = variant.channels;
  variant.channels.clear();
  for (const auto &[source, destination] : channels)
    for (const TestChannel &channel : all)
      if (channel.source == source && channel.destination == destination)
        variant.channels.push_back(channel);
  REQUIRE(variant.channels.size() == channels.size());
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    variant.ranks[rank] = rankOf(ranks[rank]);
  Plan plan;
  make(opened(seal(model)), 3, {}, plan);
  return plan;
}

const TestOperand kInput{sched::OperandKind::input, 0};
const TestOperand kOutput{sched::OperandKind::output, 0};
TestOperand channel(uint32_t number) {
  return {sched::OperandKind::channel, number};
}

} // namespace

TEST_CASE("an output that is written twice may overwrite a lent input") {
  // Rank 0's output is at first the sum without its own input.
  const auto isLent = [](bool twice) {
    const TestFold first{0, {channel(1)}, {kOutput}};
    const TestFold last{0, {kOutput, channel(2)}, {kOutput, channel(3)}, true};
    const TestFold only{
        0, {channel(1), channel(2)}, {kOutput, channel(3)}, true};
    TestLanes root{{{0, {kInput}, {channel(0)}}}};
    if (twice)
      root[0].push_back(first);
    root[0].push_back(twice ? last : only);
    const Plan plan = planOf({{0, 1}, {2, 0}, {1, 0}, {0, 1}},
                             {root,
                              {{{0, {channel(0), kInput}, {channel(2)}},
                                {0, {channel(3)}, {kOutput}}}},
                              {{{0, {kInput}, {channel(1)}}}}});
    return bool(plan.programs[0].variants[0].borrowed[0]);
  };
  CHECK(isLent(false));
  CHECK_FALSE(isLent(true));
}

TEST_CASE("results are written directly where the input is not needed") {
  // Ranks 0 and, maybe, 2 add up all inputs. Rank 1 gets its result from rank
  // 0, possibly before it sends its input to rank 2.
  const auto isDirect = [](bool twoSums) {
    std::vector<std::pair<uint16_t, uint16_t>> channels{{1, 0}, {2, 0}, {0, 1}};
    TestLanes first, second{{{0, {kInput}, {channel(0)}}}},
        third{{{0, {kInput}, {channel(1)}}}};
    if (twoSums) {
      channels.insert(channels.end(), {{0, 2}, {1, 2}});
      first = {{{0, {kInput}, {channel(3)}}}};
      second[0].push_back({0, {kInput}, {channel(4)}});
      third[0].push_back(
          {0, {kInput, channel(3), channel(4)}, {kOutput}, true});
    } else {
      first.resize(1);
    }
    first[0].push_back(
        {0, {kInput, channel(0), channel(1)}, {kOutput, channel(2)}, true});
    second[0].push_back({0, {channel(2)}, {kOutput}});
    const Plan plan = planOf(channels, {first, second, third});
    const VariantPlan &variant = plan.programs[0].variants[0];
    CHECK(bool(variant.quiet[2]) == (variant.directBlocks[2] != kNoBlock));
    return bool(variant.quiet[2]);
  };
  CHECK(isDirect(false));
  CHECK_FALSE(isDirect(true));
}

TEST_CASE("a call's buffers have the collective's blocks") {
  using Sizes = std::pair<uint64_t, uint64_t>;
  auto sizes = [](Collective collective) {
    Plan plan;
    make(opened(seal(makeSchedule(collective, 0, 4, {}))), 4, {}, plan);
    Call call;
    float send[40], recv[40];
    call.kind = {collective, blinkFloat32, blinkSum, 0, 10};
    call.send = send;
    call.recv = recv;
    CHECK(call.prepare(plan).ok());
    return Sizes(call.sendBytes, call.recvBytes);
  };
  CHECK(sizes(Collective::allreduce) == Sizes(40, 40));
  CHECK(sizes(Collective::allgather) == Sizes(40, 160));
  CHECK(sizes(Collective::reducescatter) == Sizes(160, 40));
  CHECK(sizes(Collective::alltoall) == Sizes(160, 160));
}

TEST_CASE("a plan's fingerprint tells files and orders of GPUs apart") {
  BundleOptions options = everything();
  const TestBundle model = makeBundle(options);
  const ScheduleSet files = opened(seal(model));
  const uint64_t own = fingerprint(files, {3, 1});
  CHECK(fingerprint(opened(seal(model)), {3, 1}) == own);
  CHECK(fingerprint(files, {1, 3}) != own);
  CHECK(fingerprint(files, {3, 2}) != own);
  // The index is the same but one piece is not, as if it had been written
  // elsewhere.
  TestBundle other = model;
  std::vector<uint8_t> &piece =
      other.classes[model.entries[10].classNumber].pieces[2];
  REQUIRE(model.entries[10].gpus == Numbers{1, 3});
  const char word[] = {'t', 'e', 's', 't'};
  auto found = std::search(piece.begin(), piece.end(), word, word + 4);
  REQUIRE(found != piece.end());
  *found = 'b';
  const size_t end = piece.size() - 8;
  const uint64_t checksum = sched::hash64(piece.data(), end);
  for (size_t i = 0; i < 8; ++i)
    piece[end + i] = uint8_t(checksum >> (8 * i));
  CHECK(fingerprint(opened(seal(other)), {3, 1}) != own);
  // Single schedules do not depend on GPUs.
  const ScheduleSet single =
      opened(seal(makeSchedule(Collective::reduce, 1, 2, {})));
  CHECK(fingerprint(single, {0, 1}) == fingerprint(single, {1, 0}));
}
