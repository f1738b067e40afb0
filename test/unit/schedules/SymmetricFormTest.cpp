//===- SymmetricFormTest.cpp - full schedules in symmetric form -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Schedules that the test itself made symmetric become symmetric files, which
// expand to the same bytes; schedules that are not symmetric do not change.
//
//===----------------------------------------------------------------------===//

#include "schedules/SymmetricForm.h"

#include "schedules/ExpandSchedule.h"
#include "test/common/OpenedSchedule.h"
#include "test/common/SymmetricSchedules.h"

using namespace blink;
using namespace blink::test;

namespace {

constexpr Collective kCollectives[] = {
    Collective::allreduce, Collective::allgather, Collective::reducescatter,
    Collective::alltoall, Collective::sendrecv};

std::vector<uint8_t> expanded(const sched::Schedule &file) {
  std::string error;
  std::vector<uint8_t> bytes = sched::expandSchedule(file, error);
  REQUIRE(error == "");
  REQUIRE(sched::openSchedule(bytes.data(), bytes.size(), error) != nullptr);
  return bytes;
}

/// Checks that the symmetric form, opened and expanded, equals `full`.
void checkForm(const TestSchedule &full,
               const std::vector<sched::Renaming> &renamings, size_t orbits) {
  const OpenedSchedule file(full);
  std::string error;
  const auto form = sched::symmetricFile(*file.file, {renamings}, error);
  REQUIRE(form);
  CHECK(form->inFull.at(0).empty());
  CHECK(sched::openSchedule(form->bytes.data(), form->bytes.size(), error) ==
        nullptr);
  CHECK(error.find("blinkc expand") != std::string::npos);
  CHECK(sched::isSymmetric(form->bytes.data(), form->bytes.size()));
  const sched::Schedule *opened =
      sched::openAnySchedule(form->bytes.data(), form->bytes.size(), error);
  REQUIRE_MESSAGE(opened, error);
  const sched::Variant &variant =
      *opened->programs()->Get(0)->variants()->Get(0);
  CHECK(variant.symmetric());
  CHECK(variant.ranks()->size() == orbits);
  CHECK(variant.trees()->size() * (full.programs[0].allocation.size()) ==
        full.programs[0].variants[0].trees.size() * orbits);
  CHECK(expanded(*opened) == expanded(*file.file));
}

} // namespace

TEST_CASE("what is alike on all ranks is said once") {
  uint32_t seed = 1;
  for (Collective collective : kCollectives)
    for (int numRanks : {2, 3, 6, 8})
      for (int trees : {1, 3})
        for (int lanes : {1, 4}) {
          CAPTURE(sched::EnumNameCollective(collective));
          CAPTURE(numRanks);
          const TestSchedule full =
              makeSymmetricSchedule(collective, numRanks, trees, lanes, seed++);
          checkForm(full, {shiftBy(numRanks, 1, uint32_t(numRanks))}, 1);
          if (numRanks == 6)
            checkForm(full, {shiftBy(6, 2, 3)}, 2);
          if (numRanks == 8)
            checkForm(full, {shiftBy(8, 4, 2), shiftBy(8, 2, 2)}, 2);
        }
}

TEST_CASE("what is not alike stays in full, and the reason is said") {
  const auto noteOf = [](auto change) {
    TestSchedule full =
        makeSymmetricSchedule(Collective::allgather, 4, 2, 1, 5);
    change(full.variant());
    const OpenedSchedule file(full);
    std::string error;
    const auto form =
        sched::symmetricFile(*file.file, {{shiftBy(4, 1, 4)}}, error);
    REQUIRE(form);
    REQUIRE(form->inFull.at(0).size() == 1);
    CHECK(!sched::isSymmetric(form->bytes.data(), form->bytes.size()));
    CHECK(expanded(*file.file) == form->bytes);
    return form->inFull[0][0];
  };
  CHECK(noteOf([](TestVariant &v) {
          std::swap(v.ranks[2].steps[0].delay, v.ranks[2].steps.back().delay);
          v.ranks[2].steps.back().delay = 1;
        }) == "variants[0]: ranks[2].steps[7]: is not an image of its "
              "representative's");
  CHECK(noteOf([](TestVariant &v) { v.channels[20].slots = 7; }) ==
        "variants[0]: channels[20]: is not an image of its representative's");
  CHECK(noteOf([](TestVariant &v) {
          std::swap(v.trees[2].numerator, v.trees[3].numerator);
        }) == "variants[0]: trees[2]: is not an image of its representative's");
  CHECK(noteOf([](TestVariant &v) {
          for (size_t tree : {2, 3})
            v.trees[tree].root = 2;
        }) == "variants[0]: trees[2]: rank 0 has no such tree");
}

TEST_CASE("no symmetry is no reason to change anything") {
  const OpenedSchedule file(
      makeSymmetricSchedule(Collective::allreduce, 3, 1, 1, 2));
  std::string error;
  const auto form = sched::symmetricFile(*file.file, {{}}, error);
  REQUIRE(form);
  CHECK(form->inFull[0] ==
        std::vector<std::string>{"variants[0]: no symmetry"});
  CHECK(form->bytes == expanded(*file.file));
  CHECK(!sched::symmetricFile(*file.file, {{shiftBy(3, 1, 2)}}, error));
  CHECK(error.find("programs[0].symmetry[0]: ") == 0);
}
