//===- SurvivorsTest.cpp - bundles for when something fails ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Correct bundles, and bundles changed in memory after they were opened, as in
// BundleTest.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/ProveBundle.h"
#include "compiler/topology/SingleFailures.h"
#include "test/common/Contains.h"
#include "test/unit/driver/OpenedBundle.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <set>

using namespace blink;
using namespace blink::test;

namespace {

using Gpus = std::vector<uint16_t>;

BundleOptions survivorOptions(const Topology &topology,
                              const char *allocations) {
  BundleOptions options = test::optionsFor(
      topology, allocations, {Collective::allreduce, Collective::broadcast});
  options.surviveLinks = true;
  return options;
}

struct OpenedSurvivors : OpenedBundle {
  using OpenedBundle::OpenedBundle;

  uint16_t condition(const char *ends) const {
    const auto found = sched::findCondition(bundle, ends);
    REQUIRE_MESSAGE(found, ends);
    return *found;
  }
  const sched::Entry *find(const char *ends, const Gpus &gpus) const {
    return sched::findEntry(bundle, condition(ends), gpus);
  }
  const sched::Entry *whole(const Gpus &gpus) const {
    return sched::findEntry(bundle, sched::kWholeMachine, gpus);
  }
  const sched::Piece &piece(const sched::Entry &entry, uint32_t number) const {
    return *bundle.index->classes()
                ->Get(entry.class_number())
                ->pieces()
                ->Get(number);
  }
  bool hasSchedules(const sched::Entry &entry) const {
    return piece(entry, 0).size() > 0;
  }
  sched::Survivor &survivor(uint32_t number) {
    return const_cast<sched::Survivor &>(
        *bundle.index->survivors()->Get(number));
  }
};

/// Sets a field of a table in the buffer.
template <typename T>
void set(const void *table, flatbuffers::voffset_t field, T value) {
  auto *writable = static_cast<flatbuffers::Table *>(const_cast<void *>(table));
  REQUIRE(writable->SetField<T>(field, value, 0));
}

/// Returns all problems of a bundle.
std::string problems(const OpenedSurvivors &opened) {
  std::string text;
  for (const std::string &problem :
       proveBundle(opened.bundle, 1, ignore).problems)
    text += problem + "\n";
  return text;
}

} // namespace

TEST_CASE("allocations survive the links that matter to them") {
  const Topology topology = shippedTopology("dgx1");
  const OpenedSurvivors opened(
      topology, survivorOptions(topology, "0,1/0,5/0,1,2/4,5,6/0,1,6"));
  CHECK(problems(opened) == "");
  CHECK(opened.bytes[8] == 3);
  // Each pair of nodes with a link is a condition, even if links of that kind
  // are not used.
  CHECK(opened.bundle.index->conditions()->size() ==
        1 + linkedPairs(topology).size());
  CHECK(opened.bundle.index->survivors()->size() == 1 + 3 + 3);

  // The only link between the two GPUs: no schedule remains.
  const sched::Entry *cutOff = opened.find("gpu1:gpu0", {0, 1});
  REQUIRE(cutOff);
  CHECK(cutOff != opened.whole({0, 1}));
  CHECK(!opened.hasSchedules(*cutOff));
  // Three GPUs still have two links.
  const sched::Entry *third = opened.find("gpu0:gpu1", {0, 1, 2});
  REQUIRE(third);
  CHECK(third != opened.whole({0, 1, 2}));
  CHECK(opened.hasSchedules(*third));
  // The other board is wired alike, so both share classes.
  CHECK(opened.find("gpu4:gpu5", {4, 5, 6})->class_number() ==
        third->class_number());
  // These failures do not matter: links of other GPUs, links of kinds that are
  // not used, and any link of GPUs that are not connected anyway.
  CHECK(opened.find("gpu0:gpu3", {0, 1, 2}) == opened.whole({0, 1, 2}));
  CHECK(opened.find("gpu0:plx0", {0, 1, 2}) == opened.whole({0, 1, 2}));
  CHECK(opened.find("gpu0:gpu1", {0, 5}) == opened.whole({0, 5}));
  REQUIRE(!opened.hasSchedules(*opened.whole({0, 1, 6})));
  CHECK(opened.find("gpu0:gpu1", {0, 1, 6}) == opened.whole({0, 1, 6}));
}

TEST_CASE("a bundle with survivors is the same for any number of threads") {
  const Topology topology = shippedTopology("dgx1");
  BundleOptions options = survivorOptions(topology, "4-4/0,1,2");
  options.surviveGpus = true;
  options.jobs = 1;
  const OpenedSurvivors one(topology, options);
  options.jobs = 3;
  std::reverse(options.allocations.begin(), options.allocations.end());
  const OpenedSurvivors three(topology, options);
  CHECK(one.bytes == three.bytes);
  CHECK(problems(one) == "");
  // No map occurs twice, and many survivors have no map of their own.
  const sched::Bundle &index = *one.bundle.index;
  const size_t nodes = topology.nodes.size();
  std::set<std::vector<uint16_t>> maps;
  for (size_t at = 0; at < index.node_maps()->size(); at += nodes)
    maps.emplace(index.node_maps()->data() + at,
                 index.node_maps()->data() + at + nodes);
  CHECK(maps.size() == index.node_maps()->size() / nodes);
  CHECK(maps.size() < index.entries()->size() + index.survivors()->size());
}

TEST_CASE("jobs that lose a GPU have schedules, on whole machines") {
  const Topology topology = shippedTopology("dgx1");
  BundleOptions options = survivorOptions(topology, "0,1,2,3/1,2");
  options.surviveGpus = true;
  auto settings = [&] { return toString(options.settings(topology)); };
  CHECK(contains(settings(), "allocations=1,2/0,1,2,3 "));
  CHECK(contains(settings(), " survive=links,gpus"));
  const OpenedSurvivors both(topology, options);
  CHECK(problems(both) == "");
  CHECK(both.bundle.index->entries()->size() == 2 + 4);
  // A link fails for a job that has already lost a GPU. That is one failure too
  // many, unless the job does not use the link.
  REQUIRE(both.whole({0, 1, 2}));
  CHECK(!both.find("gpu0:gpu1", {0, 1, 2}));
  CHECK(both.find("gpu0:gpu3", {0, 1, 2}) == both.whole({0, 1, 2}));
  CHECK(both.find("gpu0:gpu1", {0, 1, 2, 3}) != both.whole({0, 1, 2, 3}));
  CHECK(both.find("gpu1:gpu2", {1, 2}) != both.whole({1, 2}));

  options.surviveLinks = false;
  CHECK(contains(settings(), " survive=gpus"));
  const OpenedSurvivors gpus(topology, options);
  CHECK(gpus.bytes[8] == 3);
  CHECK(gpus.bundle.index->conditions()->size() == 1);
  CHECK(!gpus.bundle.index->survivors());
  CHECK(gpus.bundle.index->entries()->size() == 2 + 4);
  // The same as if these allocations had been asked for, except for the
  // recorded settings.
  options.surviveGpus = false;
  options.allocations =
      valueOf(parseAllocations("1,2/0,1,2/0,1,3/0,2,3/1,2,3/0,1,2,3", 8));
  const OpenedSurvivors asked(topology, options);
  CHECK(asked.bundle.piecesBytes == gpus.bundle.piecesBytes);
  CHECK(std::equal(asked.bundle.pieces,
                   asked.bundle.pieces + asked.bundle.piecesBytes,
                   gpus.bundle.pieces));
}

TEST_CASE("failures come on top of edited links") {
  const Topology topology = shippedTopology("dgx1");
  BundleOptions options = survivorOptions(topology, "0,1,2");
  options.each.linkEdits = {{"gpu1:gpu0", 10.0, "--limit-link x"},
                            {"gpu2:gpu0", std::nullopt, "--without-link x"}};
  const OpenedSurvivors opened(topology, options);
  CHECK(problems(opened) == "");
  CHECK(!sched::findCondition(opened.bundle, "gpu0:gpu2"));
  const sched::Entry *entry = opened.find("gpu0:gpu1", {0, 1, 2});
  CHECK(entry != opened.whole({0, 1, 2}));
  CHECK(!opened.hasSchedules(*entry));
  const sched::Entry *apart = opened.find("gpu1:gpu2", {0, 1, 2});
  CHECK(!opened.hasSchedules(*apart));
}

TEST_CASE("a sendrecv is missing only where GPUs have no paths of their own") {
  const char *missing = "there is no schedule, but for another collective";
  auto openedFor = [](const char *machine, const char *allocations,
                      std::vector<Collective> collectives) {
    const Topology topology = shippedTopology(machine);
    BundleOptions options =
        test::optionsFor(topology, allocations, std::move(collectives));
    options.each.links = LinkKindSet::all();
    options.surviveLinks = true;
    return OpenedSurvivors(topology, options);
  };
  auto drop = [](const OpenedSurvivors &opened, const sched::Entry &entry) {
    auto &piece = const_cast<sched::Piece &>(opened.piece(entry, 1));
    REQUIRE(piece.size() > 0);
    piece = sched::Piece(piece.offset(), 0);
  };
  const std::vector<Collective> both = {Collective::allreduce,
                                        Collective::sendrecv};
  // NVLinks alone: without one, its GPUs reach each other only over the third.
  const OpenedSurvivors links = openedFor("a100-nv4", "0,1,2", both);
  CHECK(problems(links) == "");
  const sched::Entry *apart = links.find("gpu0:gpu1", {0, 1, 2});
  CHECK(links.hasSchedules(*apart));
  CHECK(links.piece(*apart, 1).size() == 0);
  drop(links, *links.whole({0, 1, 2}));
  CHECK(contains(problems(links), missing));

  const OpenedSurvivors alone =
      openedFor("a100-nv4", "0,1,2", {Collective::sendrecv});
  CHECK(problems(alone) == "");
  CHECK(!alone.hasSchedules(*alone.find("gpu0:gpu1", {0, 1, 2})));

  // Without their NVLink, these have PCIe.
  const OpenedSurvivors bridged = openedFor("rtx-a6000-4gpu", "0,1", both);
  CHECK(problems(bridged) == "");
  const sched::Entry *left = bridged.find("gpu0:gpu1", {0, 1});
  REQUIRE(left != bridged.whole({0, 1}));
  drop(bridged, *left);
  CHECK(contains(problems(bridged), missing));
}

TEST_CASE("survivors that are none are found") {
  const Topology topology = shippedTopology("dgx1");
  OpenedSurvivors opened(topology, survivorOptions(topology, "0,1/0,1,2"));
  const sched::Bundle &index = *opened.bundle.index;
  REQUIRE(problems(opened) == "");
  REQUIRE(index.survivors()->size() == 4);
  const sched::Entry pair = *opened.whole({0, 1});
  const sched::Entry triple = *opened.whole({0, 1, 2});
  const uint32_t direct = opened.condition("gpu0:gpu1");
  // Sorted by condition, then allocation: both allocations without gpu0:gpu1,
  // then the triple without gpu0:gpu2 and without gpu1:gpu2.
  REQUIRE(opened.survivor(0).condition() == direct);
  REQUIRE(opened.survivor(1).condition() == direct);
  REQUIRE(opened.survivor(1).entry().gpus_begin() == triple.gpus_begin());

  SUBCASE("one that uses the link that is gone") {
    opened.survivor(1) = sched::Survivor(triple, direct);
    const std::string text = problems(opened);
    CHECK(contains(text, "allocation 0,1,2 without gpu0:gpu1: allreduce: "));
    CHECK(contains(text, "carried to where no link of its kind is"));
    CHECK(contains(text, "broadcast"));
  }
  SUBCASE("one that does without another link") {
    const sched::Entry other = opened.survivor(2).entry();
    opened.survivor(1) = sched::Survivor(other, direct);
    CHECK(contains(problems(opened), "0,1,2 without gpu0:gpu1: "));
  }
  SUBCASE("one that is missing") {
    // The last survivor claims to be for a link that does not matter.
    const sched::Survivor last = opened.survivor(3);
    REQUIRE(last.condition() == opened.condition("gpu1:gpu2"));
    opened.survivor(3) =
        sched::Survivor(last.entry(), opened.condition("gpu5:gpu6"));
    CHECK(contains(problems(opened),
                   "allocation 0,1,2: there are no schedules without "
                   "gpu1:gpu2, and those of the whole machine use"));
  }
  SUBCASE("one that the bundle says it does not have") {
    const sched::Entry old = opened.survivor(1).entry();
    opened.survivor(1) = sched::Survivor(
        sched::Entry(old.gpus_begin(), old.gpus_count(), sched::kNoClass, 0),
        direct);
    CHECK(problems(opened) == "");
    CHECK(!opened.find("gpu0:gpu1", {0, 1, 2}));
  }
  SUBCASE("one that is said to have no path") {
    const uint32_t apart = opened.survivor(0).entry().class_number();
    const sched::Entry old = opened.survivor(1).entry();
    opened.survivor(1) =
        sched::Survivor(sched::Entry(old.gpus_begin(), old.gpus_count(), apart,
                                     old.map_begin()),
                        direct);
    CHECK(contains(problems(opened), "allocation 0,1,2 without gpu0:gpu1: its "
                                     "GPUs reach each other"));
  }
  SUBCASE("one that is, and is said to have schedules") {
    opened.survivor(0) = sched::Survivor(pair, direct);
    CHECK(contains(problems(opened), "allocation 0,1 without gpu0:gpu1"));
  }
  SUBCASE("a class of another condition than its schedules") {
    const auto &classes = *index.classes();
    const sched::AllocationClass *one =
        classes.Get(opened.survivor(1).entry().class_number());
    REQUIRE(one->condition() == direct);
    set<uint16_t>(one, sched::AllocationClass::VT_CONDITION,
                  opened.condition("gpu5:gpu6"));
    CHECK(contains(problems(opened), "GPUs 0,1,2 without gpu5:gpu6, allreduce: "
                                     "it is for another machine"));
  }
  SUBCASE("a condition of other nodes than it says") {
    set<uint16_t>(index.conditions()->Get(direct), sched::Condition::VT_NODE_B,
                  5);
    CHECK(contains(problems(opened), "condition 1, --without-link gpu0:gpu1: "
                                     "its nodes have other names"));
  }
  SUBCASE("a condition without a link") {
    const sched::Condition *one = index.conditions()->Get(direct);
    set<uint16_t>(one, sched::Condition::VT_NODE_B, 5);
    const_cast<uint8_t *>(one->id_b()->Data())[3] = '5';
    CHECK(contains(problems(opened), "the machine has no such link"));
  }
}

TEST_CASE("links that nobody could name") {
  Topology topology;
  for (const char *id : {"a", "b:c", "a:b", "c"})
    topology.nodes.push_back({id, NodeKind::gpu});
  for (auto [from, to] : {std::pair(0, 1), {1, 2}, {2, 3}, {0, 3}})
    for (auto [a, b] : {std::pair(from, to), std::pair(to, from)})
      topology.links.push_back({a, b, 10, 1, LinkKind::nvlink});
  auto bytes =
      compileBundle(topology, survivorOptions(topology, "0,1,2,3"), ignore);
  REQUIRE(!bytes);
  CHECK(contains(llvm::toString(bytes.takeError()),
                 "--survive links: 'a:b:c' can be read in several ways"));
}
