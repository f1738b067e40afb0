//===- SymmetricPlansTest.cpp - plans of compiled symmetric files ---------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// From a symmetric file, a rank's process makes the same plan as from the full
// file, for symmetric variants and for full variants beside them.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/SymmetricSchedule.h"
#include "schedules/ExpandSchedule.h"
#include "test/common/ComparePlans.h"
#include "test/unit/driver/CompileFile.h"
#include "test/unit/packing/Pods.h"

using namespace blink;
using namespace blink::test;

namespace {

std::vector<uint8_t> symmetricForm(const std::vector<uint8_t> &full) {
  std::string error;
  const sched::Schedule *file =
      sched::openAnySchedule(full.data(), full.size(), error);
  REQUIRE_MESSAGE(file, error);
  return valueOf(symmetricSchedule(*file)).bytes;
}

/// Compares the plans of a process that has only rank `rank`.
void comparePlans(const std::vector<uint8_t> &full,
                  const std::vector<uint8_t> &symmetric, const Plan &whole,
                  int rank, uint64_t slotBytes) {
  CAPTURE(rank);
  std::vector<bool> here(size_t(whole.numRanks), false);
  here[size_t(rank)] = true;
  const Plan part = planOf({symmetric}, whole.numRanks, slotBytes, here);
  CHECK(part.numLanes == whole.numLanes);
  CHECK(part.numOperands == whole.numOperands);
  CHECK(part.rings.size() < whole.rings.size());
  const ProgramPlan &a = whole.programs[0], &b = part.programs[0];
  CHECK(a.readsInput[size_t(rank)] == b.readsInput[size_t(rank)]);
  CHECK(a.usesOutput[size_t(rank)] == b.usesOutput[size_t(rank)]);
  CHECK(a.roundsOnce == b.roundsOnce);
  REQUIRE(a.variants.size() == b.variants.size());
  for (size_t v = 0; v < a.variants.size(); ++v) {
    CAPTURE(v);
    // The plan has no rings that neither the server's ranks nor representatives
    // use.
    CHECK(b.variants[v].rings.size() < a.variants[v].rings.size());
    compare(whole, a.variants[v], part, b.variants[v],
            whole.serverOf[size_t(rank)]);
  }
}

} // namespace

static void comparePods(std::optional<unsigned> maxPeers) {
  size_t inFull = 0;
  for (auto [boxes, gpus] :
       {std::pair(12, 2), std::pair(7, 4), std::pair(40, 1)}) {
    CAPTURE(boxes);
    CAPTURE(gpus);
    const Topology topology = podOf(boxes, gpus, gpus).topology();
    for (Collective collective :
         {Collective::allreduce, Collective::allgather}) {
      CAPTURE(sched::EnumNameCollective(collective));
      CompileOptions options;
      options.collective = collective;
      options.maxPeers = maxPeers;
      const std::vector<uint8_t> full = compileFile(topology, options);
      const std::vector<uint8_t> symmetric = symmetricForm(full);
      CHECK(symmetric.size() < full.size());
      const int ranks = boxes * gpus;
      for (uint64_t slotBytes : {0, ranks << 18}) {
        CAPTURE(slotBytes);
        const Plan whole = planOf({full}, ranks, slotBytes, {});
        for (int rank : {0, gpus, ranks / 2 + 1, ranks - 1})
          comparePlans(full, symmetric, whole, rank, slotBytes);
      }
      const auto *program =
          sched::GetSchedule(symmetric.data())->programs()->Get(0);
      for (const sched::Variant *variant : *program->variants())
        inFull += !variant->symmetric();
    }
  }
  CHECK(inFull > 2);
}

TEST_CASE("plans of pods in symmetric form are those in full") {
  SUBCASE("where boxes exchange sums") { comparePods(std::nullopt); }
  SUBCASE("where one tree is for small messages") { comparePods(4); }
}
