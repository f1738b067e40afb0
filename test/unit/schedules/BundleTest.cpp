//===- BundleTest.cpp - opening and searching bundles ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/Hash.h"
#include "test/common/BundleBuilder.h"
#include "test/common/Contains.h"

#include "doctest/doctest.h"

#include <functional>

using namespace blink;
using namespace blink::test;
using blink::sched::kUnmapped;

namespace {

/// Returns a schedule for GPUs 0 and 1 of the model's machine.
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

/// Returns a bundle in which GPUs {0,1} and {0,3} are alike and {2,3} are not
/// joined. Without n1:n2, {0,1} has schedules of its own and {0,3} needs none.
/// Without n1:n4, {0,1} has the same schedules with its GPUs swapped, and {0,3}
/// are not joined.
TestBundle model() {
  TestBundle m;
  m.numNodes = 5;
  m.gpuNodes = {1, 2, 3, 4}; // node 0 is a switch
  m.collectives = {Collective::allreduce, Collective::broadcast};
  addCondition(m, 1, 2);
  addCondition(m, 1, 4);
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
  TestClass cutOff = apart;
  cutOff.condition = 2;
  cutOff.gpus = {0, 3};
  const Numbers far = {kUnmapped, 1, kUnmapped, kUnmapped, 4};
  cutOff.rootMaps = far;
  cutOff.rootMaps.insert(cutOff.rootMaps.end(), far.begin(), far.end());
  m.classes = {joined, apart, spare, cutOff};
  m.entries = {{{0, 1}, 0, same},
               {{0, 3}, 0, {kUnmapped, 4, 1, kUnmapped, kUnmapped}},
               {{2, 3}, 1, other}};
  addSurvivor(m, 1, 0, 2);
  addSurvivor(m, 2, 0, 2, &swapped);
  addSurvivor(m, 2, 1, 3, &far);
  addSurvivor(m, 2, 2, sched::kNoClass);
  m.survivors.back().mapBegin = 0;
  return m;
}

/// Returns the error of opening a correct bundle after `change`, or "" if it
/// opens.
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

size_t indexEnd(const std::vector<uint8_t> &bytes) {
  return bytes[16] + bytes[17] * 256u + 32;
}

/// Recomputes the checksum after the index was changed.
void setChecksum(std::vector<uint8_t> &bytes) {
  const size_t end = indexEnd(bytes);
  const uint64_t checksum = sched::hash64(bytes.data(), end);
  for (int i = 0; i < 8; ++i)
    bytes[end + size_t(i)] = uint8_t(checksum >> (8 * i));
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
  CHECK(!sched::findEntry(bundle, 1, {0, 2}));
  CHECK(!sched::findEntry(bundle, 3, {0, 1}));

  const sched::Schedule *schedule = sched::openPiece(bundle, 0, 1, error);
  REQUIRE_MESSAGE(schedule, error);
  CHECK(schedule->programs()->Get(0)->collective() == Collective::broadcast);
  CHECK(!sched::openPiece(bundle, 1, 0, error));
  CHECK(error == "");

  // GPU 3 has the role of GPU 0, and GPU 0 that of GPU 1.
  CHECK(sched::programRanks(bundle, *far, {0, 3}) == Numbers{1, 0});
  CHECK(sched::programRanks(bundle, *far, {3, 0}) == Numbers{0, 1});
  // Root GPU 3 is the representative's rank 0, which serves itself. Root GPU 0
  // is its rank 1, which rank 0 serves with the names exchanged.
  uint16_t root = 7;
  CHECK(sched::programRanks(bundle, *far, {0, 3}, 1, root) == Numbers{1, 0});
  CHECK(root == 0);
  CHECK(sched::programRanks(bundle, *far, {0, 3}, 0, root) == Numbers{0, 1});
  CHECK(root == 0);
}

TEST_CASE("survivors are found by condition, or else the whole machine's") {
  const std::vector<uint8_t> bytes = seal(model());
  CHECK(bytes[8] == 3);
  sched::BundleView bundle;
  std::string error;
  REQUIRE(sched::openBundle(bytes.data(), bytes.size(), bundle, error));
  CHECK(sched::findCondition(bundle, "n1:n2") == 1);
  CHECK(sched::findCondition(bundle, "n2:n1") == 1);
  CHECK(sched::findCondition(bundle, "n4:n1") == 2);
  for (const char *unknown : {"", ":", "n1", "n2:n4", "n1:n2:", " n1:n2"})
    CHECK_MESSAGE(!sched::findCondition(bundle, unknown), unknown);

  const auto find = [&](uint16_t condition, const Numbers &gpus) {
    return sched::findEntry(bundle, condition, gpus);
  };
  // First a failure that does not matter to the job, then one that does.
  CHECK(find(1, {0, 3}) == find(0, {0, 3}));
  CHECK(find(1, {2, 3}) == find(0, {2, 3}));
  CHECK(find(1, {0, 1})->class_number() == 2);
  // A different survivor of the same GPUs, with the same class but another map.
  CHECK(find(2, {0, 1})->class_number() == 2);
  CHECK(sched::programRanks(bundle, *find(1, {0, 1}), {0, 1}) == Numbers{0, 1});
  CHECK(sched::programRanks(bundle, *find(2, {0, 1}), {0, 1}) == Numbers{1, 0});
  CHECK(!sched::openPiece(bundle, find(2, {0, 3})->class_number(), 0, error));
  CHECK(error == "");
  CHECK(!find(2, {2, 3}));

  // Nodes whose ids contain colons: text that could mean either of two
  // conditions means neither.
  TestBundle m = model();
  m.conditions[1] = {"--without-link a:b:c", 1, 2, "a", "b:c"};
  m.conditions[2] = {"--without-link a:b:c", 1, 4, "a:b", "c"};
  const std::vector<uint8_t> unclear = seal(m);
  REQUIRE(sched::openBundle(unclear.data(), unclear.size(), bundle, error));
  CHECK(!sched::findCondition(bundle, "a:b:c"));
  CHECK(sched::findCondition(bundle, "b:c:a") == 1);
  CHECK(sched::findCondition(bundle, "c:a:b") == 2);

  // A bundle without survivors can be read by older readers, too.
  m = model();
  m.survivors.clear();
  m.survivorMaps.clear();
  const std::vector<uint8_t> first = seal(m);
  CHECK(first[8] == 3);
  REQUIRE(sched::openBundle(first.data(), first.size(), bundle, error));
  CHECK(find(1, {0, 1}) == find(0, {0, 1}));
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
      {"conditions: the first",
       [](auto &m) { m.conditions[0].description = "x"; }},
      {"conditions: the first", [](auto &m) { m.conditions.clear(); }},
      {"conditions: 65537",
       [](auto &m) {
         while (m.conditions.size() < 65537)
           m.conditions.push_back(m.conditions[1]);
       }},
      {"conditions[1]: expected two",
       [](auto &m) { m.conditions[1].nodeA = 2; }},
      {"conditions[2]: expected two",
       [](auto &m) { m.conditions[2].nodeB = 5; }},
      {"conditions[2]: out of order",
       [](auto &m) { std::swap(m.conditions[1], m.conditions[2]); }},
      {"conditions[2]: out of order",
       [](auto &m) { m.conditions[2] = m.conditions[1]; }},
      {"conditions[2]: expected ids",
       [](auto &m) { m.conditions[2].idA = ""; }},
      {"conditions[2]: expected ids",
       [](auto &m) { m.conditions[2].idB = ""; }},
      {"conditions[1]: its description",
       [](auto &m) { m.conditions[1].description = ""; }},
      {"conditions[1]: its description",
       [](auto &m) { m.conditions[1].description.back() = '3'; }},
      {"classes[2].condition", [](auto &m) { m.classes[2].condition = 3; }},
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
      {"entries[1]: class 4", [](auto &m) { m.entries[1].classNumber = 4; }},
      {"entries[0]: expected a class of the whole machine",
       [](auto &m) { m.entries[0].classNumber = 2; }},
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
      {"entries[2]: expected its GPUs", // would be read beyond the end
       [](auto &m) {
         m.entries[2].map.pop_back();
         m.survivorMaps.clear();
       }},
      {"node_maps: some are left over",
       [](auto &m) { m.survivorMaps.push_back(0); }},
      {"survivors[0]: condition 0",
       [](auto &m) { m.survivors[0].condition = 0; }},
      {"survivors[2]: condition 3, expected one from 1 to 2",
       [](auto &m) { m.survivors[2].condition = 3; }},
      {"survivors[0]: class 4",
       [](auto &m) { m.survivors[0].classNumber = 4; }},
      {"survivors[3]: expected no map",
       [](auto &m) { m.survivors[3].mapBegin = 10; }},
      {"survivors[0]: expected the GPUs of an entry",
       [](auto &m) { m.survivors[0].gpusBegin = 1; }},
      {"survivors[2]: expected the GPUs of an entry",
       [](auto &m) { m.survivors[2].gpusBegin = 6; }},
      {"survivors[0]: expected the GPUs of an entry",
       [](auto &m) { m.survivors[0].gpusCount = 1; }},
      {"survivors[0]: expected its map",
       [](auto &m) { m.survivors[0].mapBegin = 1; }},
      {"survivors[0]: expected its map",
       [](auto &m) { m.survivors[0].mapBegin = 20; }},
      {"survivors[2]: expected its map", // would be read beyond the end
       [](auto &m) { m.survivorMaps.pop_back(); }},
      {"survivors[1]: GPU 0 is carried",
       [](auto &m) { m.survivorMaps[1] = 3; }},
      {"survivors[1]: GPU 1 is carried",
       [](auto &m) { m.survivorMaps[2] = 2; }},
      {"survivors[1]: node 5", [](auto &m) { m.survivorMaps[0] = 5; }},
      {"survivors[0]: its map is that of another allocation",
       [](auto &m) { m.survivors[0].mapBegin = 5; }},
      {"survivors[2]: its map is that of another allocation or repr",
       [](auto &m) { // {0,3} with the map of {0,1}
         m.survivors[2].mapBegin = 5;
         m.survivorMaps.resize(5);
       }},
      {"survivors[1]: out of order",
       [](auto &m) { m.survivors[1] = m.survivors[0]; }},
      {"survivors[1]: out of order",
       [](auto &m) {
         std::swap(m.survivors[1].condition, m.survivors[0].condition);
       }},
      {"survivors[2]: out of order",
       [](auto &m) { m.survivors[2].condition = 1; }},
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
  m.classes[0].pieces[1] = m.classes[0].pieces[0]; // a different collective
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
  // A condition changes the machine.
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
  for (size_t i = 0; i < indexEnd(right) + 8; ++i) {
    std::vector<uint8_t> flipped = right;
    flipped[i] ^= uint8_t(1 << i % 8);
    CHECK(!sched::openBundle(flipped.data(), flipped.size(), bundle, error));
  }
  std::vector<uint8_t> older = right;
  older[8] = 0;
  CHECK(!sched::openBundle(older.data(), older.size(), bundle, error));
  CHECK(contains(error, "format version 0, this Blink reads version 3"));
  std::vector<uint8_t> newer = right;
  newer[8] = 4;
  setChecksum(newer);
  CHECK(!sched::openBundle(newer.data(), newer.size(), bundle, error));
  CHECK(contains(error, "format version 4, this Blink reads version 3"));
  CHECK(!sched::openBundle(right.data(), right.size() - 8, bundle, error));
  CHECK(contains(error, "should have"));
}

TEST_CASE("an index with changed bytes and a right checksum does not crash") {
  // The checksum protects against damage, not malice: the checks of the index
  // must suffice by themselves.
  const std::vector<uint8_t> right = seal(model());
  const size_t end = indexEnd(right);
  std::mt19937 random(5);
  sched::BundleView bundle;
  std::string error;
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> changed = right;
    for (int k = 0; k < 3; ++k)
      changed[32 + random() % (end - 32)] = uint8_t(random());
    setChecksum(changed);
    if (!sched::openBundle(changed.data(), changed.size(), bundle, error))
      continue;
    (void)sched::findCondition(bundle, "n1:n2");
    for (const sched::Entry *whole : *bundle.index->entries()) {
      const uint16_t *gpus = bundle.index->gpus()->data() + whole->gpus_begin();
      const Numbers list(gpus, gpus + whole->gpus_count());
      for (uint16_t c = 0; c < bundle.index->conditions()->size(); ++c) {
        const sched::Entry *entry = sched::findEntry(bundle, c, list);
        if (!entry)
          continue;
        uint16_t root = 0;
        (void)sched::programRanks(bundle, *entry, list, 0, root);
        (void)sched::openPiece(bundle, entry->class_number(), 0, error);
      }
    }
  }
}
