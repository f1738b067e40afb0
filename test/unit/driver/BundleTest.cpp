//===- BundleTest.cpp - compiled bundles, whole and spoiled ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Bundles are changed in memory after they were opened. The changed bundle
// keeps every rule of the file format, so only the proof can find the change.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/ClassCompiler.h"
#include "compiler/driver/ProveBundle.h"
#include "schedules/ScheduleFile.h"
#include "test/common/Contains.h"
#include "test/unit/driver/OpenedBundle.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <atomic>
#include <new>

using namespace blink;
using namespace blink::test;

namespace {

BundleOptions optionsFor(const Topology &topology, const char *allocations) {
  return test::optionsFor(
      topology, allocations,
      {Collective::allreduce, Collective::broadcast, Collective::reduce});
}

struct ProvableBundle : OpenedBundle {
  using OpenedBundle::OpenedBundle;
  BundleProof prove(unsigned jobs = 1) const {
    return proveBundle(bundle, jobs, ignore);
  }
  uint16_t *mapOf(const sched::Entry &entry) {
    return const_cast<uint16_t *>(bundle.index->node_maps()->data()) +
           entry.map_begin();
  }
};

/// Returns the first problem, or "".
std::string first(const BundleProof &proof) {
  return proof.problems.empty() ? "" : proof.problems.front();
}

/// Returns the GB/s of the NVLinks from one node to another.
double between(const Topology &topology, int from, int to) {
  for (const Link &link : topology.links)
    if (link.from == from && link.to == to && link.kind == LinkKind::nvlink)
      return link.bandwidth;
  return 0;
}

} // namespace

TEST_CASE("a bundle is the same for any number of threads") {
  const Topology topology = shippedTopology("dgx1");
  BundleOptions options = optionsFor(topology, "2-3");
  options.jobs = 1;
  const ProvableBundle one(topology, options);
  options.jobs = 3;
  std::reverse(options.allocations.begin(), options.allocations.end());
  const ProvableBundle three(topology, options);
  CHECK(one.bytes == three.bytes);
  const BundleProof proof = one.prove(2);
  CHECK_MESSAGE(proof.ok(), first(proof));
  CHECK(proof.allocations == 28 + 56);
  CHECK(proof.unreachableAllocations > 0);
  CHECK(proof.classes == one.bundle.index->classes()->size());
  CHECK(proof.worstRatio > 0.98);
}

TEST_CASE("a wrong node map is found, whichever it is") {
  const Topology topology = shippedTopology("dgx1");
  BundleOptions options = optionsFor(topology, "3-3");
  options.collectives = {Collective::allreduce};
  ProvableBundle opened(topology, options);
  int right = 0, wrong = 0;
  for (const sched::Entry *entry : *opened.bundle.index->entries()) {
    const sched::AllocationClass &one =
        *opened.bundle.index->classes()->Get(entry->class_number());
    if (one.pieces()->Get(0)->size() == 0)
      continue;
    // Compare the proof with the links for all ways to name the three GPUs.
    uint16_t *map = opened.mapOf(*entry);
    std::vector<uint16_t> old(map, map + topology.nodes.size()), images;
    for (uint16_t gpu : *one.gpus())
      images.push_back(map[gpu]); // here node and GPU numbers are equal
    std::sort(images.begin(), images.end());
    BundleProver prover(opened.bundle);
    do {
      bool alike = true;
      for (size_t i = 0; i < 3; ++i)
        map[one.gpus()->Get(i)] = images[i];
      for (int from : *one.gpus())
        for (int to : *one.gpus())
          alike &= between(topology, from, to) ==
                   between(topology, map[from], map[to]);
      CHECK(prover.proveClass(entry->class_number()).ok() == alike);
      ++(alike ? right : wrong);
    } while (std::next_permutation(images.begin(), images.end()));
    std::copy(old.begin(), old.end(), map);
  }
  CHECK(right >= 41); // number of connected triples
  CHECK(wrong > 41);
  CHECK(opened.prove().ok());
}

TEST_CASE("a wrong map of a root is found") {
  const Topology topology = shippedTopology("dgx1");
  BundleOptions options = optionsFor(topology, "0,1,3");
  options.collectives = {Collective::broadcast};
  ProvableBundle opened(topology, options);
  const sched::AllocationClass &one = *opened.bundle.index->classes()->Get(0);
  REQUIRE(opened.prove().ok());
  // 0-1 and 1-3 are single links, 0-3 is a double one: 0 and 3 are alike.
  REQUIRE(one.roots()->Get(0) == 0);
  REQUIRE(one.roots()->Get(1) == 1);
  REQUIRE(one.roots()->Get(2) == 0);
  auto *maps = const_cast<uint16_t *>(one.root_maps()->data());
  uint16_t *map = maps + 2 * topology.nodes.size();
  REQUIRE(map[0] == 3);
  std::swap(map[1], map[3]); // still maps 0 to 3
  CHECK(contains(first(opened.prove()), "for rank 2"));
}

TEST_CASE("a root without a program is found") {
  const Topology topology = shippedTopology("dgx1");
  BundleOptions options = optionsFor(topology, "0,1,3");
  options.collectives = {Collective::broadcast};
  ProvableBundle opened(topology, options);
  const sched::AllocationClass &one = *opened.bundle.index->classes()->Get(0);
  REQUIRE(one.roots()->Get(2) == 0);
  const_cast<uint16_t *>(one.roots()->data())[2] = 2; // now serves itself
  CHECK(contains(first(opened.prove()),
                 "programs for the roots 0,1; expected 0,1,2"));
}

TEST_CASE("what is missing, or for another class, is found") {
  const Topology topology = shippedTopology("dgx1");
  ProvableBundle opened(topology, optionsFor(topology, "0,1/0,3/0,5"));
  const sched::Bundle &index = *opened.bundle.index;
  REQUIRE(index.classes()->size() == 3); // single, double, no link
  REQUIRE(opened.prove().ok());
  const auto setClass = [&](uint32_t entry, uint32_t number) {
    const sched::Entry old = *index.entries()->Get(entry);
    const_cast<sched::Entry &>(*index.entries()->Get(entry)) = sched::Entry(
        old.gpus_begin(), old.gpus_count(), number, old.map_begin());
  };
  const auto setSize = [&](uint32_t number, uint32_t piece, uint64_t size) {
    const auto &pieces = *index.classes()->Get(number)->pieces();
    auto &place = const_cast<sched::Piece &>(*pieces.Get(piece));
    const uint64_t old = place.size();
    place = sched::Piece(place.offset(), size);
    return old;
  };

  SUBCASE("GPUs with a better link under the schedule of a worse") {
    setClass(1, 0); // 0,3 with the schedules of 0,1
    opened.mapOf(*index.entries()->Get(1))[1] = 3;
    CHECK(contains(first(opened.prove()), "allocation 0,3: allreduce"));
    CHECK(contains(first(opened.prove()), "bound"));
  }
  SUBCASE("GPUs with a worse link under the schedule of a better") {
    setClass(0, 1);
    uint16_t *map = opened.mapOf(*index.entries()->Get(0));
    map[3] = 1;
    CHECK(contains(first(opened.prove()), "less bandwidth"));
  }
  SUBCASE("GPUs that are said not to reach each other") {
    setClass(1, 2);
    CHECK(contains(first(opened.prove()), "0,3: its GPUs reach each other"));
  }
  SUBCASE("no schedule for one collective") {
    setSize(0, 1, 0);
    CHECK(contains(first(opened.prove()), "broadcast: there is no schedule"));
  }
  SUBCASE("no schedule at all") {
    for (uint32_t number : {0, 1})
      for (uint32_t piece : {0, 1, 2})
        setSize(number, piece, 0);
    CHECK(contains(first(opened.prove()), "nothing is known of the machine"));
  }
  SUBCASE("a damaged schedule") {
    const sched::Piece &piece = *index.classes()->Get(0)->pieces()->Get(1);
    const_cast<uint8_t *>(opened.bundle.pieces)[piece.offset() + 100] ^= 1;
    CHECK(contains(first(opened.prove()), "checksum"));
  }
}

TEST_CASE("a reduce that is a mirrored broadcast is as fast as its own") {
  const Topology topology = shippedTopology("dgx1");
  for (const std::vector<int> &gpus :
       {std::vector<int>{0, 1, 2}, std::vector<int>{1, 4, 5, 6}}) {
    CompileOptions options;
    options.gpus = gpus;
    auto compiler = valueOf(ClassCompiler::create(topology, options, {0, 2}));
    for (Collective collective :
         {Collective::reduce, Collective::reducescatter, Collective::gather}) {
      const std::vector<uint8_t> bytes = valueOf(compiler->compile(collective));
      std::string error;
      const sched::Schedule *file =
          sched::openSchedule(bytes.data(), bytes.size(), error);
      REQUIRE_MESSAGE(file, error);
      CHECK(file->programs()->size() ==
            (collective == Collective::reducescatter ? 1 : 2));
      for (const sched::Program *program : *file->programs()) {
        RankTopology rankTopology =
            valueOf(RankTopology::create(topology, gpus, LinkKindSet::all()));
        const double bound =
            valueOf(boundRate({&rankTopology, collective, program->root()}))
                .bound;
        CHECK(program->certificate()->bound() ==
              doctest::Approx(bound).epsilon(1e-9));
        // Up to 5 % of the rate may be given up for trees that keep their rates
        // on fairly shared links.
        CHECK(program->algbw() >= 0.95 * (1 - 1e-6) * bound);
        CHECK(program->collective() == collective);
      }
    }
  }
}

TEST_CASE("allocations that no bundle can be made for") {
  const Topology topology = shippedTopology("dgx1");
  const auto errorOf = [&](const char *allocations) {
    auto bytes =
        compileBundle(topology, optionsFor(topology, allocations), ignore);
    return bytes ? "" : llvm::toString(bytes.takeError());
  };
  CHECK(contains(errorOf("0,5/1,6"), "in none of the allocations"));
  BundleOptions options = optionsFor(topology, "0,1");
  options.each.linkEdits = {{"gpu0:gpu7", std::nullopt, "--without-link x"}};
  auto bytes = compileBundle(topology, options, ignore);
  REQUIRE(!bytes);
  CHECK(contains(llvm::toString(bytes.takeError()), "no link joins"));
}

TEST_CASE("memory that runs out on one thread is not lost on it") {
  std::atomic<size_t> calls{0};
  const auto body = [&](size_t i) {
    ++calls;
    if (i == 3)
      throw std::bad_alloc();
  };
  CHECK_THROWS_AS(forEachInParallel(8, 2, body, ignore), std::bad_alloc);
  CHECK(calls == 8);
}
