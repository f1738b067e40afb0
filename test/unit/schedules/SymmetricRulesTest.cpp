//===- SymmetricRulesTest.cpp - rules of symmetric variants ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Each rule is broken once. Damaged files are refused, or their expansion keeps
// the rules of full files.
//
//===----------------------------------------------------------------------===//

#include "schedules/ExpandSchedule.h"
#include "schedules/Hash.h"
#include "schedules/ScheduleCopy.h"
#include "schedules/SymmetricForm.h"
#include "test/common/Checksums.h"
#include "test/common/OpenedSchedule.h"
#include "test/common/SymmetricSchedules.h"

#include <functional>

using namespace blink;
using namespace blink::test;
using sched::VariantParts;

namespace {

struct BrokenRule {
  const char *message; ///< the beginning of the text
  std::function<void(sched::ProgramParts &)> apply;
};

/// A file of one program in symmetric form, and its parts.
struct Form {
  Form(Collective collective, int numRanks, int trees,
       const std::vector<sched::Renaming> &renamings)
      : Form(makeSymmetricSchedule(collective, numRanks, trees, 2, 3),
             renamings) {}
  Form(const TestSchedule &schedule,
       const std::vector<sched::Renaming> &renamings)
      : full(schedule) {
    std::string error;
    parts.symmetry = renamings;
    const auto form = sched::symmetricFile(*full.file, {renamings}, error);
    REQUIRE(form);
    REQUIRE(form->inFull[0].empty());
    bytes = form->bytes;
    const sched::Schedule *opened =
        sched::openAnySchedule(bytes.data(), bytes.size(), error);
    REQUIRE_MESSAGE(opened, error);
    parts.variants.push_back(
        VariantParts::of(*opened->programs()->Get(0)->variants()->Get(0)));
  }

  /// Returns the error of opening a file with `changed` parts.
  std::string messageOf(const sched::ProgramParts &changed) const {
    const std::vector<uint8_t> copy =
        sched::copySchedule(*full.file, {changed});
    std::string error;
    const bool ok =
        sched::openAnySchedule(copy.data(), copy.size(), error) != nullptr;
    CHECK(ok == error.empty());
    return error;
  }

  OpenedSchedule full;
  sched::ProgramParts parts;
  std::vector<uint8_t> bytes;
};

void checkBroken(const Form &form, const std::vector<BrokenRule> &rules) {
  REQUIRE(form.messageOf(form.parts) == "");
  for (const BrokenRule &rule : rules) {
    sched::ProgramParts wrong = form.parts;
    rule.apply(wrong);
    const std::string message = form.messageOf(wrong);
    CAPTURE(message);
    CAPTURE(rule.message);
    CHECK(message.find(rule.message) == 0);
  }
}

sched::Tree withRoot(const sched::Tree &tree, uint16_t root) {
  return {tree.numerator(), tree.denominator(), tree.block(), root,
          tree.depth()};
}
sched::Channel movedBy(const sched::Channel &channel, uint16_t by, uint16_t n) {
  return {channel.tree(),
          channel.path_begin(),
          channel.path_count(),
          uint16_t((channel.source() + by) % n),
          uint16_t((channel.destination() + by) % n),
          channel.slots(),
          channel.window(),
          channel.kind()};
}

} // namespace

TEST_CASE("rules of symmetric variants") {
  const Form form(Collective::allgather, 6, 2, {shiftBy(6, 2, 3)});
  checkBroken(
      form,
      {{"programs[0].symmetry[0]: renames 5 of 6 nodes",
        [](auto &p) { p.symmetry[0].nodes.pop_back(); }},
       {"programs[0].variants[0].symmetric: of a program without symmetry",
        [](auto &p) { p.symmetry.clear(); }},
       {"programs[0].variants[0].ranks: 1 rank programs, expected one for each "
        "of 2 representatives",
        [](auto &p) { p.variants[0].ranks.pop_back(); }},
       {"programs[0].variants[0].trees: the shares of block 2 add up to less",
        [](auto &p) { p.variants[0].symmetric = false; }},
       {"programs[0].variants[0].trees[0]: root 2 is not a representative",
        [](auto &p) {
          auto &trees = p.variants[0].trees;
          trees[0] = withRoot(trees[0], 2);
        }},
       {"programs[0].variants[0].trees: the shares of block 1 add up to less",
        [](auto &p) { p.variants[0].trees.resize(2); }},
       {"programs[0].variants[0].trees[4]: block 1, expected 6",
        [](auto &p) {
          auto &trees = p.variants[0].trees;
          trees.push_back(trees.back());
        }},
       {"programs[0].variants[0].channels[1]: of tree 0, expected in tree "
        "order",
        [](auto &p) {
          auto &channels = p.variants[0].channels;
          std::swap(channels[0], channels[9]);
        }},
       // An image of a channel may replace it, but not a channel of a different
       // image of its tree.
       {"", [](auto &p) {
          auto &channels = p.variants[0].channels;
          for (size_t c = 0; c < channels.size(); ++c)
            if (channels[c].tree() == 0)
              channels[c] = movedBy(channels[c], 2, 6);
        }}});
}

TEST_CASE("what is wrong with a generator is the end of the message") {
  const Form form(Collective::allgather, 6, 1, {shiftBy(6, 2, 3)});
  sched::ProgramParts wrong = form.parts;
  wrong.symmetry[0].nodes.pop_back();
  const std::string message = form.messageOf(wrong);
  CHECK(message == "programs[0].symmetry[0]: renames 5 of 6 nodes");
}

TEST_CASE("a step's channels are of one image of a tree") {
  // A chain over a path of two hops: the rank in the middle reads and writes.
  const Form form(Collective::allgather, 6, 1, {shiftBy(6, 1, 6)});
  const VariantParts &variant = form.parts.variants[0];
  for (const sched::Step &step : variant.ranks[0].steps) {
    const sched::Operand &from =
        variant.ranks[0].operands[step.operands_begin()];
    if (from.kind() != sched::OperandKind::channel)
      continue;
    for (uint32_t i = 1; i <= step.destinations(); ++i) {
      const sched::Operand &to =
          variant.ranks[0].operands[step.operands_begin() + i];
      if (to.kind() != sched::OperandKind::channel)
        continue;
      sched::ProgramParts wrong = form.parts;
      sched::Channel &channel = wrong.variants[0].channels[to.index()];
      channel = movedBy(channel, 1, 6);
      CHECK(form.messageOf(wrong).find("is not of the same image of tree 0") !=
            std::string::npos);
      return;
    }
  }
  FAIL("no step both reads and writes channels");
}

TEST_CASE("rules of the one block of an allreduce, and of steps of a chain "
          "without channels") {
  const Form allreduce(Collective::allreduce, 4, 1, {shiftBy(4, 1, 4)});
  checkBroken(
      allreduce,
      {{"programs[0].variants[0].trees: the shares of block 0 add up to "
        "less than one",
        [](auto &p) {
          const sched::Tree tree = p.variants[0].trees[0];
          p.variants[0].trees[0] = {1, 5, 0, 0, tree.depth()};
        }},
       {"programs[0].variants[0].trees[0]: the shares of block 0 add up "
        "to more than one",
        [](auto &p) {
          const sched::Tree tree = p.variants[0].trees[0];
          p.variants[0].trees[0] = {1, 3, 0, 0, tree.depth()};
        }}});
  const Form alltoall(Collective::alltoall, 4, 1, {shiftBy(4, 2, 2)});
  REQUIRE(alltoall.messageOf(alltoall.parts) == "");
  sched::ProgramParts wrong = alltoall.parts;
  // Rank 0 takes over a block that belongs to rank 1 alone.
  bool found = false;
  for (sched::Step &step : wrong.variants[0].ranks[0].steps) {
    const auto &operands = wrong.variants[0].ranks[0].operands;
    const auto first = operands.begin() + step.operands_begin();
    found = std::none_of(first, first + 2, [](const sched::Operand &operand) {
      return operand.kind() == sched::OperandKind::channel;
    });
    if (!found)
      continue;
    step = {5, step.operands_begin(), 1, 1, step.completes(), step.delay()};
    break;
  }
  REQUIRE(found);
  CHECK(alltoall.messageOf(wrong).find(
            "of a tree with root 1, which no channel joins with rank 0") !=
        std::string::npos);
}

TEST_CASE("rules of a sendrecv hold for images") {
  const Form form(Collective::sendrecv, 4, 1, {shiftBy(4, 2, 2)});
  // The representative of rank 3 is rank 1, to which rank 2 then sends what
  // rank 0 sends to rank 3: from input block 1, to output block 2.
  const auto &variant = form.parts.variants[0];
  REQUIRE(variant.trees[3].block() == 3);
  const auto toChannel = [](sched::VariantParts &parts, uint32_t rank,
                            bool writes) -> sched::Operand & {
    auto &[lanes, steps, operands] = parts.ranks[rank];
    for (const sched::Step &step : steps) {
      sched::Operand *own = &operands[step.operands_begin()];
      if (step.tree() == 3 && own[writes].kind() == sched::OperandKind::channel)
        return own[!writes];
    }
    throw std::logic_error("no such step");
  };
  sched::VariantParts right = variant;
  CHECK(toChannel(right, 0, true).index() == 3);
  CHECK(toChannel(right, 1, false).index() == 2);
  const auto set = [&](uint32_t rank, bool writes, uint32_t block) {
    sched::ProgramParts wrong = form.parts;
    sched::Operand &operand = toChannel(wrong.variants[0], rank, writes);
    operand = {block, operand.kind()};
    return form.messageOf(wrong);
  };
  CHECK(set(0, true, 3) == "");
  CHECK(set(1, false, 2) == "");
  const char *expected = "expected a step that copies to its tree's channel "
                         "from input block 3, or from there to output block 0";
  CHECK(set(0, true, 1).find(expected) != std::string::npos);
  CHECK(set(1, false, 0).find(expected) != std::string::npos);
}

TEST_CASE("a collective with a root has no symmetry") {
  for (Collective collective : {Collective::broadcast, Collective::reduce,
                                Collective::gather, Collective::scatter}) {
    const OpenedSchedule full(makeSchedule(collective, 0, 2, {}));
    sched::ProgramParts parts;
    parts.variants.push_back(
        VariantParts::of(*full.program().variants()->Get(0)));
    const auto messageOf = [&](const sched::ProgramParts &changed) {
      const std::vector<uint8_t> bytes =
          sched::copySchedule(*full.file, {changed});
      std::string error;
      (void)sched::openAnySchedule(bytes.data(), bytes.size(), error);
      return error;
    };
    CHECK(messageOf(parts) == "");
    parts.symmetry = {shiftBy(2, 1, 2)};
    CHECK(messageOf(parts) ==
          std::string("programs[0].symmetry: of a ") +
              sched::EnumNameCollective(collective) +
              ", whose root no renaming may move; expected none");
  }
}

TEST_CASE("a damaged symmetric file is refused, or expands to a right one") {
  const Form form(Collective::allreduce, 4, 2,
                  {shiftBy(4, 2, 2), shiftBy(4, 1, 2)});
  int opened = 0;
  for (size_t at = 0; at + sched::kHashBytes < form.bytes.size(); ++at)
    for (uint8_t flip : {0x01, 0x02, 0x80, 0xff}) {
      std::string text(form.bytes.begin(), form.bytes.end());
      text[at] = char(uint8_t(text[at]) ^ flip);
      REQUIRE(reseal(text));
      const std::vector<uint8_t> bytes(text.begin(), text.end());
      std::string error;
      const sched::Schedule *file =
          sched::openAnySchedule(bytes.data(), bytes.size(), error);
      CHECK((file == nullptr) == !error.empty());
      if (!file)
        continue;
      ++opened;
      const std::vector<uint8_t> full = sched::expandSchedule(*file, error);
      CHECK(full.empty() == !error.empty());
      if (!full.empty() &&
          !sched::openSchedule(full.data(), full.size(), error))
        FAIL("byte " << at << " ^ " << int(flip) << ": " << error);
    }
  CHECK(opened > 0);
}

TEST_CASE("what is too large in full is not expanded") {
  // Paths over all nodes of a large machine.
  TestSchedule schedule =
      makeSymmetricSchedule(Collective::allgather, 65, 1, 2, 3);
  constexpr size_t kNodes = 65000;
  schedule.nodes.resize(kNodes, sched::NodeKind::cpu);
  sched::Renaming renaming = shiftBy(65, 1, 65);
  for (size_t node = 65; node < kNodes; ++node)
    renaming.nodes.push_back(uint16_t(node));
  const Form form(schedule, {renaming});
  sched::ProgramParts large = form.parts;
  VariantParts &variant = large.variants[0];
  variant.paths.assign(kNodes - 1, 0);
  for (sched::Channel &channel : variant.channels)
    channel = {channel.tree(),        0,
               uint16_t(kNodes - 1),  channel.source(),
               channel.destination(), channel.slots(),
               channel.window(),      channel.kind()};
  const std::vector<uint8_t> bytes =
      sched::copySchedule(*form.full.file, {large});
  std::string error;
  const sched::Schedule *file =
      sched::openAnySchedule(bytes.data(), bytes.size(), error);
  REQUIRE_MESSAGE(file, error);
  CHECK(sched::expandSchedule(*file, error).empty());
  CHECK(error == "in full the schedule takes more than 1 GiB");
  // The same for what almost all ranks need.
  std::vector<bool> ranks(65, true);
  ranks[64] = false;
  error.clear();
  CHECK(sched::expandFor(*file, ranks, error).bytes.empty());
  CHECK(error == "in full the schedule takes more than 1 GiB");
}

TEST_CASE("what one rank needs may be too large to expand") {
  // An allgather in which all ranks write to all others. Every rank reads from
  // all others, and so needs all their steps, which have as many operands.
  constexpr uint16_t kRanks = 12000;
  TestSchedule schedule;
  schedule.nodes.assign(kRanks, sched::NodeKind::gpu);
  TestProgram program;
  program.collective = Collective::allgather;
  program.variants.resize(1);
  for (uint16_t rank = 0; rank < kRanks; ++rank) {
    program.allocation.push_back(rank);
    schedule.links.push_back({1, 1, rank, (rank + 1u) % kRanks});
  }
  program.prices.assign(kRanks, 1);
  schedule.programs = {program};
  const std::vector<uint8_t> plain = seal(schedule);
  sched::ProgramParts parts;
  parts.symmetry = {shiftBy(kRanks, 1, kRanks)};
  VariantParts variant;
  variant.maxBytes = ~uint64_t(0);
  variant.chunks = schedule.programs[0].variants[0].chunks;
  variant.symmetric = true;
  variant.trees = {{1, 1, 0, 0, 1}};
  variant.paths = {0};
  sched::RankParts &rank = variant.ranks.emplace_back();
  using sched::Operand, sched::OperandKind;
  rank.lanes = {{0, kRanks}};
  rank.steps = {{0, 0, 1, kRanks, false, 0}};
  rank.operands = {Operand(0, OperandKind::input),
                   Operand(0, OperandKind::output)};
  for (uint16_t other = 1; other < kRanks; ++other) {
    variant.channels.push_back(
        {0, 0, 1, 0, other, 1, 0, sched::ChannelKind::peer});
    rank.operands.emplace_back(other - 1, OperandKind::channel);
  }
  for (uint16_t other = 1; other < kRanks; ++other) {
    rank.steps.push_back({0, uint32_t(rank.operands.size()), 1, 1, false, 0});
    rank.operands.emplace_back(other - 1, OperandKind::channel);
    rank.operands.emplace_back(kRanks - other, OperandKind::output);
  }
  parts.variants = {variant};
  const std::vector<uint8_t> bytes =
      sched::copySchedule(*sched::GetSchedule(plain.data()), {parts});
  std::string error;
  const sched::Schedule *file =
      sched::openAnySchedule(bytes.data(), bytes.size(), error);
  REQUIRE_MESSAGE(file, error);
  std::vector<bool> ranks(kRanks, false);
  ranks[0] = true;
  CHECK(sched::expandFor(*file, ranks, error).bytes.empty());
  CHECK(error == "in full the schedule takes more than 1 GiB");
}
