//===- SymmetricTest.cpp - proofs without expansion -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A symmetric variant, judged by its representatives, gets the same verdict as
// in full. Tests correct ones and ones with random changes.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/AlikeRanks.h"
#include "compiler/verify/SymmetricParts.h"
#include "compiler/verify/Verify.h"
#include "schedules/ExpandSchedule.h"
#include "schedules/ScheduleCopy.h"
#include "schedules/SymmetricForm.h"
#include "test/common/OpenedSchedule.h"
#include "test/common/Sanitizers.h"
#include "test/common/SymmetricSchedules.h"

#include <cmath>

using namespace blink;
using namespace blink::test;

namespace {

bool near(double a, double b) {
  return a == b || std::fabs(a - b) <= 1e-9 * std::fabs(a);
}

/// Compares the verdicts on a file in symmetric form and on its expansion.
/// Returns whether all is right.
bool checkAgreement(const sched::Schedule &form) {
  std::string error;
  const std::vector<uint8_t> bytes = sched::expandSchedule(form, error);
  const sched::Schedule *full =
      sched::openSchedule(bytes.data(), bytes.size(), error);
  REQUIRE_MESSAGE(full, error);
  VerifyOptions options;
  options.times = true;
  const VerifyReport once =
      verifyProgram(form, *form.programs()->Get(0), options);
  const VerifyReport all =
      verifyProgram(*full, *full->programs()->Get(0), options);
  REQUIRE(once.checks.size() == all.checks.size());
  for (size_t i = 0; i < all.checks.size(); ++i) {
    CAPTURE(once.checks[i].detail);
    CAPTURE(all.checks[i].detail);
    CHECK(once.checks[i].name == all.checks[i].name);
    CHECK(once.checks[i].ok == all.checks[i].ok);
    // These sums add the same loads in a different order.
    const std::string &name = all.checks[i].name;
    if (all.checks[i].ok && name != "pace" && name != "bandwidth")
      CHECK(once.checks[i].detail == all.checks[i].detail);
  }
  CHECK(near(once.links, all.links));
  CHECK(near(once.pace, all.pace));
  CHECK(near(once.bound, all.bound));
  CHECK(once.order == all.order);
  CHECK(once.orderOfNarrow == all.orderOfNarrow);
  REQUIRE(once.times.size() == all.times.size());
  for (size_t i = 0; i < all.times.size(); ++i) {
    CHECK(near(once.times[i].pace, all.times[i].pace));
    // These bounds depend on which of the longest cycles was found.
    CHECK(std::fabs(once.times[i].microseconds / all.times[i].microseconds -
                    1) < 0.01);
  }
  CHECK(once.ok == all.ok);
  return all.ok;
}

/// A schedule in symmetric form, as parts that can be changed.
struct Form {
  Form(Collective collective, int numRanks, int trees, int lanes,
       const std::vector<sched::Renaming> &renamings, uint32_t seed)
      : full(makeSymmetricSchedule(collective, numRanks, trees, lanes, seed)) {
    std::string error;
    parts.symmetry = renamings;
    const auto form = sched::symmetricFile(*full.file, {renamings}, error);
    REQUIRE(form);
    REQUIRE(form->inFull[0].empty());
    const sched::Schedule *opened =
        sched::openAnySchedule(form->bytes.data(), form->bytes.size(), error);
    REQUIRE_MESSAGE(opened, error);
    parts.variants.push_back(sched::VariantParts::of(
        *opened->programs()->Get(0)->variants()->Get(0)));
  }
  OpenedSchedule full;
  sched::ProgramParts parts;
};

/// Changes something that may become wrong, without breaking many rules.
void change(sched::VariantParts &variant, uint32_t numRanks,
            std::mt19937 &random) {
  sched::RankParts &rank = variant.ranks[random() % variant.ranks.size()];
  sched::Step &step = rank.steps[random() % rank.steps.size()];
  sched::Channel &channel =
      variant.channels[random() % variant.channels.size()];
  switch (random() % 6) {
  case 0:
    std::swap(step, rank.steps[random() % rank.steps.size()]);
    break;
  case 1:
    step = {step.tree(),         step.operands_begin(), step.sources(),
            step.destinations(), !step.completes(),     step.delay()};
    break;
  case 2:
    step = {step.tree(),         step.operands_begin(), step.sources(),
            step.destinations(), step.completes(),      uint16_t(random() % 3)};
    break;
  case 3: {
    sched::Operand &operand = rank.operands[random() % rank.operands.size()];
    if (operand.kind() != sched::OperandKind::channel)
      operand = {uint32_t(random() % numRanks), operand.kind()};
    break;
  }
  case 4:
    channel = {channel.tree(),        uint32_t(random() % variant.paths.size()),
               channel.path_count(),  channel.source(),
               channel.destination(), uint16_t(1 + random() % 3),
               channel.window(),      channel.kind()};
    break;
  default: {
    sched::Operand &a = rank.operands[random() % rank.operands.size()];
    std::swap(a, rank.operands[random() % rank.operands.size()]);
  }
  }
}

} // namespace

TEST_CASE("representatives prove what all ranks do") {
  uint32_t seed = 1;
  for (Collective collective :
       {Collective::allreduce, Collective::allgather, Collective::reducescatter,
        Collective::alltoall, Collective::sendrecv})
    for (int trees : {1, 2})
      for (int lanes : {1, 3}) {
        const auto check = [&](int ranks,
                               const std::vector<sched::Renaming> &renamings) {
          CAPTURE(sched::EnumNameCollective(collective));
          CAPTURE(ranks);
          const Form form(collective, ranks, trees, lanes, renamings, seed++);
          const std::vector<uint8_t> bytes =
              sched::copySchedule(*form.full.file, {form.parts});
          std::string error;
          CHECK(checkAgreement(
              *sched::openAnySchedule(bytes.data(), bytes.size(), error)));
        };
        check(2, {shiftBy(2, 1, 2)});
        check(3, {shiftBy(3, 1, 3)});
        check(6, {shiftBy(6, 1, 6)});
        check(6, {shiftBy(6, 2, 3)});
        check(8, {shiftBy(8, 4, 2), shiftBy(8, 2, 2)});
      }
}

TEST_CASE("representatives show what is wrong with all ranks") {
  std::mt19937 random(1);
  int wrong = 0, right = 0;
  constexpr int kTimes = kSanitized ? 240 : 3000;
  for (int i = 0; i < kTimes; ++i) {
    const Collective collective = std::vector{
        Collective::allreduce, Collective::allgather, Collective::reducescatter,
        Collective::alltoall}[random() % 4];
    const std::vector<sched::Renaming> renamings =
        std::vector<std::vector<sched::Renaming>>{
            {shiftBy(4, 1, 4)},
            {shiftBy(4, 2, 2)},
            {shiftBy(4, 2, 2), shiftBy(4, 1, 2)}}[random() % 3];
    const Form form(collective, 4, 1 + int(random() % 2), 1 + int(random() % 2),
                    renamings, uint32_t(random()));
    sched::ProgramParts changed = form.parts;
    for (uint32_t changes = 1 + random() % 2; changes > 0; --changes)
      change(changed.variants[0], 4, random);
    const std::vector<uint8_t> bytes =
        sched::copySchedule(*form.full.file, {changed});
    std::string error;
    const sched::Schedule *file =
        sched::openAnySchedule(bytes.data(), bytes.size(), error);
    if (!file)
      continue;
    CAPTURE(i);
    ++(checkAgreement(*file) ? right : wrong);
  }
  CHECK(right > kTimes / 30);
  CHECK(wrong > kTimes / 30);
}

TEST_CASE("images of copies are judged like images of sums") {
  // A broadcast whose representative, rank 0, is right: it sends its input over
  // its tree to rank 1. In the image of that tree rank 1 sends its own input.
  // The loader refuses such a file; the proof does not rely on that.
  const OpenedSchedule full(makeSchedule(Collective::broadcast, 0, 2, {}));
  sched::ProgramParts parts;
  parts.symmetry = {shiftBy(2, 1, 2)};
  sched::VariantParts variant =
      sched::VariantParts::of(*full.program().variants()->Get(0));
  variant.symmetric = true;
  variant.trees = {{1, 2, 0, 0, 1}};
  using sched::Operand, sched::OperandKind;
  variant.ranks.resize(1);
  variant.ranks[0].lanes = {{0, 2}};
  variant.ranks[0].steps = {{0, 0, 1, 2, false, 0}, {0, 3, 1, 1, false, 0}};
  variant.ranks[0].operands = {
      Operand(0, OperandKind::input), Operand(0, OperandKind::output),
      Operand(0, OperandKind::channel), Operand(0, OperandKind::channel),
      Operand(0, OperandKind::output)};
  parts.variants = {variant};
  const std::vector<uint8_t> bytes = sched::copySchedule(*full.file, {parts});
  const sched::Schedule &file = *sched::GetSchedule(bytes.data());
  const VerifyReport report = verifyProgram(file, *file.programs()->Get(0), {});
  CHECK(!report.ok);
  for (const Check &check : report.checks)
    if (check.name == "result")
      CHECK(check.detail == "tree 1: rank 0 ends with the input of rank 1, "
                            "which is not the sender of block 0");
}

TEST_CASE("prices that are alike where links are prove what all pairs prove") {
  std::mt19937 random(7);
  int alike = 0, less = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Collective collective =
        std::vector{Collective::allreduce, Collective::allgather,
                    Collective::reducescatter}[random() % 3];
    const int ranks = 2 + int(random() % 8);
    int orbits = 1 + int(random() % 2);
    if (ranks % orbits != 0 || ranks == orbits)
      orbits = 1;
    const Form form(collective, ranks, 1, 1,
                    {shiftBy(ranks, orbits, uint32_t(ranks / orbits))},
                    uint32_t(random()));
    const std::vector<uint8_t> bytes =
        sched::copySchedule(*form.full.file, {form.parts});
    std::string error;
    const sched::Schedule *file =
        sched::openAnySchedule(bytes.data(), bytes.size(), error);
    REQUIRE_MESSAGE(file, error);
    const sched::Program &program = *file->programs()->Get(0);
    sched::SymmetryGroup group;
    REQUIRE(
        sched::SymmetryGroup::create(*file->topology(), *program.allocation(),
                                     sched::renamingsOf(program), group) == "");
    // One price for each orbit of links; many are equal and some are zero.
    std::vector<double> prices(file->topology()->links()->size());
    for (double &price : prices)
      price = double(random() % 5);
    const std::vector<uint32_t> orbitOf =
        verify::linkOrbits(group, uint32_t(prices.size()));
    for (size_t link = 0; link < prices.size(); ++link)
      prices[link] = prices[orbitOf[link]];
    const verify::TopologyView machine(*file, program);
    const verify::Repricing once =
        verify::repriceAlike(machine, program, prices, group);
    const verify::Repricing all = verify::reprice(machine, program, prices);
    CAPTURE(trial);
    if (orbits == 1) {
      CHECK(once.problem.value_or("") == all.problem.value_or(""));
      CHECK(near(once.bound, all.bound));
      ++alike;
    } else if (!once.problem) {
      CHECK(once.bound >= all.bound * (1 - 1e-12)); // a tree does not cost less
      less += once.bound > all.bound * 1.01;
    }
  }
  CHECK(alike > 100);
  CHECK(less > 5);
}

TEST_CASE("a symmetry that leaves too many ranks to price is refused") {
  constexpr uint32_t kRanks = 8192;
  TestSchedule schedule;
  schedule.nodes.assign(kRanks, sched::NodeKind::gpu);
  schedule.nodes.push_back(sched::NodeKind::switch_);
  TestProgram program;
  program.variants.resize(1);
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    program.allocation.push_back(uint16_t(rank));
    schedule.links.push_back({1, 1, rank, kRanks});
    schedule.links.push_back({1, 1, kRanks, rank});
  }
  schedule.programs = {program};
  const std::vector<uint8_t> bytes = seal(schedule);
  const sched::Schedule &file = *sched::GetSchedule(bytes.data());
  const sched::Program &written = *file.programs()->Get(0);
  const auto problemOf = [&](uint32_t representatives) {
    sched::Renaming renaming =
        shiftBy(kRanks, int(representatives), kRanks / representatives);
    renaming.nodes.push_back(kRanks);
    sched::SymmetryGroup group;
    REQUIRE(sched::SymmetryGroup::create(*file.topology(),
                                         *written.allocation(), {renaming},
                                         group) == "");
    const verify::TopologyView machine(file, written);
    return verify::repriceAlike(machine, written,
                                std::vector<double>(2 * kRanks, 1), group)
        .problem.value_or("");
  };
  CHECK(problemOf(128) == "");
  CHECK(problemOf(4096) ==
        "8192 ranks, of which 4096 are alike to no other; expected at most "
        "2048 to re-price the certificate");
}
