//===- BundleTest.cpp - opening and searching bundles ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/common/BundleBuilder.h"

#include "doctest/doctest.h"

#include <functional>

using namespace blink;
using namespace blink::test;
using blink::sched::kUnmapped;

namespace {

/// A schedule of GPUs 0 and 1 of the model's machine.
std::vector<uint8_t> piece(Collective collective) {
  return seal(onMachine(makeSchedule(collective, 0, 2, {}), 4, {0, 1}));
}

uint64_t fingerprintOf(const std::vector<uint8_t> &bytes) {
  std::string error;
  const sched::Schedule *schedule =
      sched::openSchedule(bytes.data(), bytes.size(), error);
  REQUIRE_MESSAGE(schedule, error);
  return schedule->topology()->fingerprint();
}

/// GPUs {0,1} and {0,3} alike, {2,3} joined by nothing, {0,1} again under a
/// condition.
TestBundle model() {
  TestBundle m;
  m.numNodes = 5;
  m.gpuNodes = {1, 2, 3, 4}; // node 0 is a switch
  m.collectives = {Collective::allreduce, Collective::broadcast};
  m.conditions = {"", "--without-link a:b"};
  const Numbers same = {kUnmapped, 1, 2, kUnmapped, kUnmapped};
  const Numbers swapped = {kUnmapped, 2, 1, kUnmapped, kUnmapped};
  const Numbers other = {kUnmapped, kUnmapped, kUnmapped, 3, 4};
  Numbers rootMaps = same;
  rootMaps.insert(rootMaps.end(), swapped.begin(), swapped.end());
  TestClass joined{0,
                   {0, 1},
                   {piece(Collective::allreduce), piece(Collective::broadcast)},
                   {0, 0},
                   rootMaps};
  m.fingerprint = fingerprintOf(joined.pieces[0]);
  TestClass apart{0, {2, 3}, {{}, {}}, {0, 1}, other};
  apart.rootMaps.insert(apart.rootMaps.end(), other.begin(), other.end());
  TestClass spare = joined;
  spare.condition = 1;
  m.classes = {joined, apart, spare};
  m.entries = {{{0, 1}, 0, same},
               {{0, 3}, 0, {kUnmapped, 4, 1, kUnmapped, kUnmapped}},
               {{2, 3}, 1, other},
               {{0, 1}, 2, same}};
  return m;
}

/// The error of opening what `change` makes of a right bundle; "" if it opens.
std::string errorOf(const std::function<void(TestBundle &)> &change) {
  TestBundle m = model();
  change(m);
  const std::vector<uint8_t> bytes = seal(m);
  sched::BundleView bundle;
  std::string error;
  const bool opened =
      sched::openBundle(bytes.data(), bytes.size(), bundle, error);
  CHECK(opened == error.empty());
  return error;
}

bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a bundle opens, and finds what it holds") {
  const std::vector<uint8_t> bytes = seal(model());
  sched::BundleView bundle;
  std::string error;
  REQUIRE(sched::openBundle(bytes.data(), bytes.size(), bundle, error));
  const sched::Entry *pair = sched::findEntry(bundle, 0, {0, 1});
  const sched::Entry *far = sched::findEntry(bundle, 0, {0, 3});
  const sched::Entry *apart = sched::findEntry(bundle, 0, {2, 3});
  const sched::Entry *spare = sched::findEntry(bundle, 1, {0, 1});
  REQUIRE((pair && far && apart && spare));
  CHECK(pair->class_number() == 0);
  CHECK(spare->class_number() == 2);
  CHECK(!sched::findEntry(bundle, 0, {0, 2}));
  CHECK(!sched::findEntry(bundle, 0, {0, 1, 2}));
  CHECK(!sched::findEntry(bundle, 1, {0, 3}));
  CHECK(!sched::findEntry(bundle, 2, {0, 1}));

  const sched::Schedule *schedule = sched::openPiece(bundle, 0, 1, error);
  REQUIRE_MESSAGE(schedule, error);
  CHECK(schedule->programs()->Get(0)->collective() == Collective::broadcast);
  CHECK(!sched::openPiece(bundle, 1, 0, error));
  CHECK(error == "");

  // GPU 3 plays GPU 0's part, GPU 0 that of GPU 1.
  CHECK(sched::programRanks(bundle, *far, {0, 3}) == Numbers{1, 0});
  CHECK(sched::programRanks(bundle, *far, {3, 0}) == Numbers{0, 1});
  // Root GPU 3 is the representative's rank 0, which serves itself; root GPU 0
  // is its rank 1, which rank 0 serves under names exchanged.
  uint16_t root = 7;
  CHECK(sched::programRanks(bundle, *far, {0, 3}, 1, root) == Numbers{1, 0});
  CHECK(root == 0);
  CHECK(sched::programRanks(bundle, *far, {0, 3}, 0, root) == Numbers{0, 1});
  CHECK(root == 0);
}

TEST_CASE("every rule of an index is checked") {
  CHECK(errorOf([](TestBundle &) {}) == "");
  struct Wrong {
    const char *expected;
    std::function<void(TestBundle &)> change;
  };
  const Wrong wrongs[] = {
      {"num_nodes", [](auto &m) { m.numNodes = 65535; }},
      {"gpu_nodes", [](auto &m) { m.gpuNodes = {1, 2, 2, 4}; }},
      {"gpu_nodes", [](auto &m) { m.gpuNodes = {1, 2, 3, 5}; }},
      {"gpu_nodes", [](auto &m) { m.gpuNodes = {}; }},
      {"collectives[1]",
       [](auto &m) { std::swap(m.collectives[0], m.collectives[1]); }},
      {"collectives[1]", [](auto &m) { m.collectives[1] = Collective(99); }},
      {"collectives: expected at least one",
       [](auto &m) {
         m.collectives = {};
         for (TestClass &one : m.classes)
           one.pieces = {};
       }},
      {"conditions", [](auto &m) { m.conditions[0] = "x"; }},
      {"conditions", [](auto &m) { m.conditions.clear(); }},
      {"classes[2].condition", [](auto &m) { m.conditions.pop_back(); }},
      {"classes[0].gpus", [](auto &m) { m.classes[0].gpus = {1, 0}; }},
      {"classes[0].gpus", [](auto &m) { m.classes[0].gpus = {0, 4}; }},
      {"classes[0].gpus", [](auto &m) { m.classes[0].gpus = {}; }},
      {"classes[1].pieces", [](auto &m) { m.classes[1].pieces.pop_back(); }},
      {"classes[0].pieces",
       [](auto &m) { m.classes[0].pieces[0].push_back(0); }},
      {"classes[0].roots", [](auto &m) { m.classes[0].roots.pop_back(); }},
      {"classes[0].roots", [](auto &m) { m.classes[0].rootMaps.pop_back(); }},
      {"classes[0].roots[0]", [](auto &m) { m.classes[0].roots[0] = 1; }},
      {"classes[0].root_maps[1]", [](auto &m) { m.classes[0].roots[1] = 1; }},
      {"classes[0].root_maps[1]: node 9",
       [](auto &m) { m.classes[0].rootMaps[5] = 9; }},
      {"classes[0].root_maps[0]: GPU 1 is carried",
       [](auto &m) { m.classes[0].rootMaps[2] = 1; }},
      {"entries: expected", [](auto &m) { m.entries.clear(); }},
      {"entries[1]: class 3", [](auto &m) { m.entries[1].classNumber = 3; }},
      {"entries[1]: expected GPUs",
       [](auto &m) { m.entries[1].gpus = {3, 0}; }},
      {"entries[1]: expected GPUs",
       [](auto &m) { m.entries[1].gpus = {0, 7}; }},
      {"entries[0]: expected GPUs",
       [](auto &m) { m.entries[0].gpus = {1, 1}; }},
      {"entries[1]: a second entry for the same allocation",
       [](auto &m) { m.entries[1] = m.entries[0]; }},
      {"entries[1]: out of order",
       [](auto &m) { std::swap(m.entries[0], m.entries[1]); }},
      {"entries[1]: GPU 1 is carried",
       [](auto &m) { m.entries[1].map = m.entries[0].map; }},
      {"entries[1]: a map between 2 and 3",
       [](auto &m) { m.entries[1].gpus = {0, 2, 3}; }},
      {"entries[3]: expected its GPUs", // read over the end
       [](auto &m) { m.entries[3].map.pop_back(); }},
      {"left over", [](auto &m) { m.entries[3].map.push_back(0); }},
  };
  for (const Wrong &wrong : wrongs) {
    const std::string error = errorOf(wrong.change);
    CAPTURE(std::string(wrong.expected));
    CAPTURE(error);
    CHECK(contains(error, wrong.expected));
  }
}

TEST_CASE("pieces are judged when they are opened") {
  TestBundle m = model();
  m.classes[0].pieces[1] = m.classes[0].pieces[0]; // another collective
  m.classes[2].pieces[0][100] ^= 1;                // damaged
  m.classes[2].pieces[1] = piece(Collective::broadcast);
  m.fingerprint ^= 1;
  const std::vector<uint8_t> bytes = seal(m);
  sched::BundleView bundle;
  std::string error;
  REQUIRE(sched::openBundle(bytes.data(), bytes.size(), bundle, error));
  CHECK(!sched::openPiece(bundle, 0, 0, error));
  CHECK(contains(error, "classes[0].pieces[0]: a schedule for another mach"));
  CHECK(!sched::openPiece(bundle, 0, 1, error));
  CHECK(contains(error, "classes[0].pieces[1]"));
  CHECK(!sched::openPiece(bundle, 2, 0, error));
  CHECK(contains(error, "classes[2].pieces[0]: the checksum"));
  // Under a condition the machine is another one.
  CHECK(sched::openPiece(bundle, 2, 1, error));

  m = model();
  TestSchedule relayed =
      onMachine(makeSchedule(Collective::allreduce, 0, 2, {}), 4, {0, 1});
  relayed.programs[0].relays = {2};
  relayed.variant().ranks.emplace_back();
  m.classes[0].pieces[0] = seal(relayed);
  const std::vector<uint8_t> withRelay = seal(m);
  REQUIRE(sched::openBundle(withRelay.data(), withRelay.size(), bundle, error));
  CHECK(!sched::openPiece(bundle, 0, 0, error));
  CHECK(contains(error, "classes[0].pieces[0]: a program with relays"));
}

TEST_CASE("damaged bundles are refused, and never read out of bounds") {
  const std::vector<uint8_t> right = seal(model());
  sched::BundleView bundle;
  std::string error;
  for (size_t size = 0; size < right.size(); size += size < 600 ? 1 : 61) {
    std::vector<uint8_t> cut(right.begin(), right.begin() + ptrdiff_t(size));
    CHECK(!sched::openBundle(cut.data(), cut.size(), bundle, error));
    CHECK(error != "");
  }
  const size_t index = right[16] + right[17] * 256u + 40;
  for (size_t i = 0; i < index; ++i) {
    std::vector<uint8_t> flipped = right;
    flipped[i] ^= uint8_t(1 << i % 8);
    CHECK(!sched::openBundle(flipped.data(), flipped.size(), bundle, error));
  }
  std::vector<uint8_t> older = right;
  older[8] = 0;
  CHECK(!sched::openBundle(older.data(), older.size(), bundle, error));
  CHECK(contains(error, "format version 0, this Blink reads version 1"));
  CHECK(!sched::openBundle(right.data(), right.size() - 8, bundle, error));
  CHECK(contains(error, "should have"));
}

TEST_CASE("an index with changed bytes and a right checksum does not crash") {
  // The checksum is against damage, not malice: the walk has to hold alone.
  const std::vector<uint8_t> right = seal(model());
  const size_t end = right[16] + right[17] * 256u + 32;
  std::mt19937 random(5);
  sched::BundleView bundle;
  std::string error;
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> changed = right;
    for (int k = 0; k < 3; ++k)
      changed[32 + random() % (end - 32)] = uint8_t(random());
    const uint64_t checksum = sched::fnv1a64(changed.data(), end);
    for (int i = 0; i < 8; ++i)
      changed[end + size_t(i)] = uint8_t(checksum >> (8 * i));
    if (!sched::openBundle(changed.data(), changed.size(), bundle, error))
      continue;
    for (const sched::Entry *entry : *bundle.index->entries()) {
      const uint16_t *gpus = bundle.index->gpus()->data() + entry->gpus_begin();
      const Numbers list(gpus, gpus + entry->gpus_count());
      uint16_t root = 0;
      (void)sched::programRanks(bundle, *entry, list, 0, root);
      (void)sched::openPiece(bundle, entry->class_number(), 0, error);
    }
  }
}
