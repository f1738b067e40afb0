//===- SymmetricPlanTest.cpp - plans of files in symmetric form -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Plan.h"
#include "schedules/ExpandSchedule.h"
#include "schedules/SymmetricForm.h"
#include "schedules/VariantParts.h"
#include "test/common/Cluster.h"
#include "test/common/ComparePlans.h"
#include "test/common/SymmetricSchedules.h"

#include "doctest/doctest.h"

#include <set>

using namespace blink;
using namespace blink::runtime;
using namespace blink::test;

namespace {

constexpr uint32_t kChunkBytes = 64 << 10;

/// A symmetric file and the same file in full.
struct Forms {
  std::vector<uint8_t> symmetric, full;
};

/// Makes both forms for `each` ranks on each of the servers, with a NIC per
/// server. An element of the group is a rotation of the servers.
Forms formsOf(Collective collective, int servers, int each, bool wide,
              uint32_t seed) {
  const int ranks = servers * each;
  TestSchedule schedule = makeSymmetricSchedule(collective, ranks, 2, 2, seed);
  if (wide)
    schedule.programs[0].accumulate = sched::Accumulation::f32;
  schedule.variant().chunks.bytes = kChunkBytes;
  std::vector<int> serverOf;
  for (int rank = 0; rank < ranks; ++rank)
    serverOf.push_back(rank / each);
  spread(schedule, serverOf);
  sched::PathTable shared; // as in files written in full
  for (TestChannel &channel : schedule.variant().channels) {
    const auto begin =
        schedule.variant().paths.begin() + ptrdiff_t(channel.pathBegin);
    channel.pathBegin = shared.add({begin, begin + channel.pathCount});
  }
  schedule.variant().paths = std::move(shared.paths);
  sched::Renaming turn = shiftBy(ranks, each, uint32_t(servers));
  for (int server = 0; server < servers; ++server)
    turn.nodes.push_back(uint16_t(ranks + (server + 1) % servers));
  const std::vector<uint8_t> bytes = seal(schedule);
  std::string error;
  const sched::Schedule *file =
      sched::openSchedule(bytes.data(), bytes.size(), error);
  REQUIRE_MESSAGE(file, error);
  auto form = sched::symmetricFile(*file, {{turn}}, error);
  REQUIRE_MESSAGE(form, error);
  const sched::Schedule *opened =
      sched::openAnySchedule(form->bytes.data(), form->bytes.size(), error);
  REQUIRE_MESSAGE(opened, error);
  REQUIRE_MESSAGE(sched::isSymmetric(*opened), form->inFull[0][0]);
  return {form->bytes, sched::expandSchedule(*opened, error)};
}

void keepApart(Plan &plan) {
  std::vector<bool> apart;
  for (const RingPlan &ring : plan.rings)
    apart.push_back(ring.kind == sched::ChannelKind::network);
  plan.keepApart(apart);
}

} // namespace

TEST_CASE("a process that has all ranks plans a symmetric file in full") {
  for (Collective collective : {Collective::allreduce, Collective::alltoall}) {
    const Forms forms = formsOf(collective, 3, 2, false, 5);
    const Plan one = planOf({forms.symmetric}, 6, 0, {});
    const Plan other = planOf({forms.full}, 6, 0, {});
    CHECK(one.rings.size() == other.rings.size());
    CHECK(one.programs[0].variants[0].channelNumbers.empty());
    for (uint16_t server = 0; server < 3; ++server)
      compare(other, other.programs[0].variants[0], one,
              one.programs[0].variants[0], server);
  }
}

TEST_CASE("a process plans what its server needs as one that has all ranks") {
  for (const auto &shape : {std::pair(2, 3), std::pair(5, 2)})
    for (uint32_t seed = 1; seed <= 3; ++seed)
      for (uint64_t perRank : {0, 400 << 10}) {
        const int servers = shape.first, each = shape.second;
        CAPTURE(servers);
        CAPTURE(seed);
        const int ranks = servers * each;
        const uint64_t slotBytes = perRank * uint64_t(ranks);
        CAPTURE(slotBytes);
        std::vector<std::vector<uint8_t>> files, inFull;
        for (Collective collective :
             {Collective::allreduce, Collective::allgather,
              Collective::reducescatter, Collective::alltoall,
              Collective::sendrecv}) {
          const bool wide = collective == Collective::allreduce;
          Forms forms = formsOf(collective, servers, each, wide, seed);
          files.push_back(std::move(forms.symmetric));
          inFull.push_back(std::move(forms.full));
        }
        Plan whole = planOf(files, ranks, slotBytes, {});
        keepApart(whole);
        const uint32_t chunkBytes = whole.programs[0].variants[0].chunks.bytes;
        CHECK((chunkBytes < kChunkBytes) == (slotBytes != 0));
        CHECK(chunkBytes > kChunkBytes / 4); // the least possible
        CHECK(planOf(inFull, ranks, slotBytes, {}).rings.size() ==
              whole.rings.size());
        for (int rank = 0; rank < ranks; rank += each) {
          std::vector<bool> here(static_cast<size_t>(ranks), false);
          here[size_t(rank)] = true;
          Plan part = planOf(files, ranks, slotBytes, here);
          keepApart(part);
          CHECK(part.fingerprint == whole.fingerprint);
          CHECK(part.numLanes == whole.numLanes);
          CHECK(part.numOperands == whole.numOperands);
          CHECK(part.numMessageTrees == whole.numMessageTrees);
          CHECK(part.nics.size() == whole.nics.size());
          for (size_t p = 0; p < whole.programs.size(); ++p) {
            const ProgramPlan &a = whole.programs[p], &b = part.programs[p];
            CHECK(a.roundsOnce == b.roundsOnce);
            CHECK(a.readsInput[size_t(rank)] == b.readsInput[size_t(rank)]);
            CHECK(a.usesOutput[size_t(rank)] == b.usesOutput[size_t(rank)]);
            compare(whole, a.variants[0], part, b.variants[0],
                    whole.serverOf[size_t(rank)]);
          }
          if (servers > 2)
            CHECK(part.rings.size() < whole.rings.size());
        }
      }
}

TEST_CASE("servers agree on chunks where some have ranks that need more") {
  constexpr int kServers = 4, kEach = 2, kRanks = kServers * kEach;
  BuildOptions options;
  options.shape = Shape::star;
  options.treesPerBlock = 2;
  TestSchedule reduce =
      makeSchedule(Collective::reduce, kRanks - 1, kRanks, options);
  reduce.variant().chunks.bytes = kChunkBytes;
  spread(reduce, {0, 0, 1, 1, 2, 2, 3, 3});
  const std::vector<std::vector<uint8_t>> files{
      formsOf(Collective::allgather, kServers, kEach, false, 1).symmetric,
      seal(reduce)};
  std::set<uint32_t> chunkBytes;
  std::set<uint64_t> fingerprints;
  for (int rank = 0; rank < kRanks; ++rank) {
    std::vector<bool> here(size_t(kRanks), false);
    here[size_t(rank)] = true;
    const Plan plan = planOf(files, kRanks, 900 << 10, here);
    chunkBytes.insert(plan.programs[0].variants[0].chunks.bytes);
    fingerprints.insert(plan.fingerprint);
  }
  CHECK(chunkBytes.size() == 1);
  CHECK(fingerprints.size() == 1);
}

TEST_CASE("a damaged file in symmetric form is refused as it is") {
  std::vector<uint8_t> damaged =
      formsOf(Collective::allgather, 3, 2, false, 1).symmetric;
  damaged[damaged.size() / 2] ^= 1;
  std::shared_ptr<const OpenFile> opened;
  const Status status = OpenFile::copy(damaged.data(), damaged.size(), opened);
  CHECK(status.code == blinkInvalidArgument);
  CHECK(status.text.find("checksum") != std::string::npos);
}

TEST_CASE("a failed link counts under all its names") {
  // GPU 0 sends to its neighbour on the server, and so does each other GPU.
  const Forms forms = formsOf(Collective::allgather, 3, 2, false, 1);
  ScheduleSet files;
  REQUIRE(OpenFile::copy(forms.symmetric.data(), forms.symmetric.size(),
                         files.emplace_back())
              .ok());
  const sched::Topology &machine = *files[0]->schedule()->topology();
  for (const auto &[a, b] : {std::pair(0, 1), std::pair(4, 5)}) {
    JobGpus gpus;
    gpus.withoutLink = machine.nodes()->Get(uint32_t(a))->id()->str() + ":" +
                       machine.nodes()->Get(uint32_t(b))->id()->str();
    Plan plan;
    const Status status = Plan::create(files, 6, gpus, plan);
    CHECK(status.code == blinkInvalidUsage);
    CHECK(status.text.find("goes over link " + gpus.withoutLink) !=
          std::string::npos);
  }
}
