//===- SymmetryGroupTest.cpp - renamings that change nothing --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Groups of shifts of equal GPUs, compared with sums modulo their number, and
// sets of renamings that are not groups or do not act freely.
//
//===----------------------------------------------------------------------===//

#include "schedules/SymmetryGroup.h"

#include "test/common/OpenedSchedule.h"
#include "test/common/SymmetricSchedules.h"

using namespace blink;
using namespace blink::test;

namespace {

TestSchedule machineOf(int numRanks) {
  return makeSchedule(Collective::allgather, 0, numRanks, {});
}

std::string refusalOf(const TestSchedule &machine,
                      const std::vector<sched::Renaming> &renamings) {
  const OpenedSchedule file(machine);
  sched::SymmetryGroup group;
  return sched::SymmetryGroup::create(
      *file.file->topology(), *file.program().allocation(), renamings, group);
}

/// Checks a group of shifts by multiples of `least`.
void checkShifts(int numRanks, const std::vector<sched::Renaming> &renamings,
                 uint32_t least) {
  const OpenedSchedule file(machineOf(numRanks));
  sched::SymmetryGroup group;
  REQUIRE(sched::SymmetryGroup::create(*file.file->topology(),
                                       *file.program().allocation(), renamings,
                                       group) == "");
  const auto n = uint32_t(numRanks);
  REQUIRE(group.order() == n / least);
  REQUIRE(group.representatives().size() == least);
  for (uint32_t g = 0; g < group.order(); ++g) {
    const uint32_t by = group.mapRank(g, 0);
    CHECK(by % least == 0);
    CHECK(group.mapRank(group.inverse(g), by) == 0);
    for (uint32_t rank = 0; rank < n; ++rank) {
      CHECK(group.mapRank(g, rank) == (rank + by) % n);
      CHECK(group.orbitOf(rank) == rank % least);
      CHECK(group.mapRank(group.elementTo(rank), rank % least) == rank);
    }
    for (uint32_t h = 0; h < group.order(); ++h)
      CHECK(group.mapRank(group.product(g, h), 0) ==
            (by + group.mapRank(h, 0)) % n);
    // Links are numbered from GPU to GPU.
    const auto &links = *file.file->topology()->links();
    for (uint32_t link = 0; link < links.size(); ++link) {
      const sched::Link &image = *links[group.mapLink(g, link)];
      CHECK(image.from() == (links[link]->from() + by) % n);
      CHECK(image.to() == (links[link]->to() + by) % n);
    }
  }
}

} // namespace

TEST_CASE("groups of shifts") {
  checkShifts(6, {shiftBy(6, 1, 6)}, 1);
  checkShifts(6, {shiftBy(6, 5, 6)}, 1);
  checkShifts(6, {shiftBy(6, 2, 3)}, 2);
  checkShifts(6, {shiftBy(6, 2, 3), shiftBy(6, 3, 2)}, 1); // Z3 x Z2
  checkShifts(8, {shiftBy(8, 4, 2), shiftBy(8, 2, 2)}, 2); // g^2 is the other
  checkShifts(8, {shiftBy(8, 4, 2), shiftBy(8, 2, 2), shiftBy(8, 1, 2)}, 1);
  checkShifts(8, {shiftBy(8, 4, 2), shiftBy(8, 1, 4)}, 1);
  checkShifts(5, {}, 5);
}

TEST_CASE("what is no group that acts freely") {
  const TestSchedule machine = machineOf(6);
  const auto changed = [&](int by, uint32_t steps, auto change) {
    sched::Renaming renaming = shiftBy(6, by, steps);
    change(renaming);
    return std::vector{renaming};
  };
  CHECK(refusalOf(machine, {shiftBy(6, 1, 1)}) ==
        "symmetry[0]: 1 steps, expected at least 2");
  CHECK(refusalOf(machine, {shiftBy(6, 1, 7)}) ==
        "symmetry[0]: makes more elements than there are ranks, 6");
  CHECK(refusalOf(machine, {shiftBy(6, 1, 5)}) ==
        "symmetry[0]: taken 5 times is not an element of the generators before "
        "it");
  CHECK(refusalOf(machine, {shiftBy(6, 3, 2), shiftBy(6, 3, 2)}) ==
        "symmetry: an element other than the identity leaves a rank in place");
  CHECK(refusalOf(machine, changed(1, 6, [](auto &r) { r.nodes.pop_back(); }))
            .find("symmetry[0]: renames 5 of 6 nodes") == 0);
  CHECK(refusalOf(machine, changed(1, 6, [](auto &r) { r.nodes[2] = 6; }))
            .find("symmetry[0]: node 2 becomes 6, which is none") == 0);
  CHECK(refusalOf(machine, changed(1, 6, [](auto &r) { r.nodes[2] = 1; }))
            .find("symmetry[0]: node 2 becomes 1, as another one does") == 0);
  // 0 and 1 are swapped and the others stay.
  CHECK(refusalOf(
            machine,
            changed(0, 2, [](auto &r) { std::swap(r.nodes[0], r.nodes[1]); }))
            .find("leaves a rank in place") != std::string::npos);
  sched::Renaming mirror{{5, 4, 3, 2, 1, 0}, 2};
  CHECK(refusalOf(machine, {mirror}) == "");
  CHECK(refusalOf(machine, {shiftBy(6, 1, 6), mirror})
            .find("makes more elements") != std::string::npos);
  CHECK(refusalOf(machine, {shiftBy(6, 2, 3), mirror}) ==
        "symmetry[1]: does not commute with generator 0");
  CHECK(refusalOf(machine, std::vector(17, shiftBy(6, 3, 2))) ==
        "symmetry: 17 generators, expected at most 16");
}

TEST_CASE("what is of one order on ranks may be of another on other nodes") {
  TestSchedule machine = machineOf(4);
  machine.nodes.insert(machine.nodes.end(), 3, sched::NodeKind::cpu);
  const sched::Renaming alike{{1, 2, 3, 0, 4, 5, 6}, 4};
  CHECK(refusalOf(machine, {alike}) == "");
  const sched::Renaming turned{{1, 2, 3, 0, 5, 6, 4}, 4};
  CHECK(refusalOf(machine, {turned}) == "symmetry[0]: taken 4 times is not an "
                                        "element of the generators before it");
}

TEST_CASE("renamings that change something") {
  TestSchedule machine = machineOf(6);
  CHECK(refusalOf(machine, {shiftBy(6, 1, 6)}) == "");
  machine.links[7].bandwidth = 2;
  CHECK(refusalOf(machine, {shiftBy(6, 1, 6)})
            .find("has no image that is like it") != std::string::npos);
  machine = machineOf(6);
  machine.links[7].latency = 0;
  CHECK(refusalOf(machine, {shiftBy(6, 1, 6)})
            .find("has no image that is like it") != std::string::npos);
  machine = machineOf(6);
  machine.links.push_back(machine.links[3]);
  machine.programs[0].prices.push_back(1);
  CHECK(refusalOf(machine, {shiftBy(6, 1, 6)}) ==
        "symmetry: links 3 and 30 are between the same nodes and of one kind");
  machine = machineOf(6);
  machine.nodes.push_back(sched::NodeKind::cpu);
  sched::Renaming withSwitch{{6, 1, 2, 3, 4, 5, 0}, 2};
  CHECK(refusalOf(machine, {withSwitch}) ==
        "symmetry[0]: node 0 becomes node 6, which is of another kind");
}
