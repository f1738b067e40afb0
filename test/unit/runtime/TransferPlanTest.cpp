//===- TransferPlanTest.cpp - how calls move their chunks -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// chooseTransfers is a pure function: a table lists its result at each
// boundary. What both ends of a channel must agree on must not depend on what
// only one of them knows.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/TransferPlan.h"
#include "runtime/plan/Types.h"
#include "test/common/ScheduleBuilder.h"

#include "doctest/doctest.h"

#include <string>

using namespace blink;
using namespace blink::runtime;
using namespace blink::test;

namespace {

constexpr uint64_t K = 1 << 10, M = 1 << 20;

/// The place of the output: before or behind the input, or over its last byte.
enum Place { before, behind, inPlace };

/// A program of one tree, with slots of 512 KiB unless the model says
/// otherwise.
class Program {
public:
  Program(Collective collective, Shape shape, int ranks)
      : Program(modelOf(collective, shape, ranks), ranks) {}
  Program(const TestSchedule &model, int ranks) {
    const std::vector<uint8_t> bytes = seal(model);
    ScheduleSet files(1);
    REQUIRE(OpenFile::copy(bytes.data(), bytes.size(), files[0]).ok());
    REQUIRE(Plan::create(files, ranks, {}, plan_).ok());
  }
  static TestSchedule modelOf(Collective collective, Shape shape, int ranks,
                              uint32_t chunkBytes = 512 << 10) {
    BuildOptions options;
    options.shape = shape;
    options.chunkBytes = chunkBytes;
    return makeSchedule(collective, 0, ranks, options);
  }

  int numRanks() const { return plan_.numRanks; }

  /// Returns the plan for a call of int8.
  TransferPlan choose(int rank, uint64_t bytes, const HostEnvironment &host,
                      Place place = behind, blinkRedOp_t op = blinkSum) const {
    Call call;
    call.kind.op = op;
    call.kind.collective = plan_.programs[0].program->collective();
    call.kind.count = bytes;
    call.rank = rank;
    (void)call.prepare(plan_); // sets sizes; fails without buffers
    // These addresses are never accessed.
    const uintptr_t send = uintptr_t(1) << 40;
    const uintptr_t recv = place == behind   ? send + call.sendBytes
                           : place == before ? send - call.recvBytes
                                             : send + call.sendBytes - 1;
    call.send = reinterpret_cast<void *>(send);
    call.recv = reinterpret_cast<void *>(recv);
    REQUIRE(call.prepare(plan_).ok());
    return chooseTransfers(call, call.variant(), host);
  }

private:
  Plan plan_;
};

/// Returns a letter for each step of the rank: s for a slot, S for a shared
/// one, i for the input, o for the output; a dot if no other rank reads.
std::string deliveries(const TransferPlan &plan, size_t numSteps) {
  std::string text;
  for (size_t s = 0; s < numSteps; ++s) {
    const StepCode &step = plan.rank->code.steps[s];
    bool isRead = false;
    for (uint32_t i = step.sources; i < step.numOperands(); ++i)
      isRead |= plan.rank->code.operands[step.operandsBegin + i].kind ==
                OperandKind::channel;
    text += isRead ? "sSio"[int(plan.deliveryOf(s))] : '.';
  }
  return text;
}

// What the ranks of a job can reach; the job has the program's number of ranks.
struct Reach {
  ZeroCopy zeroCopy;
  bool inWindows;
};
constexpr Reach kThreads{ZeroCopy::direct, false};
constexpr Reach kProcesses{ZeroCopy::fetched, false};
constexpr Reach kSlotsOnly{ZeroCopy::none, false};
constexpr Reach kRegistered{ZeroCopy::fetched, true};
constexpr Reach kRegisteredSlotsOnly{ZeroCopy::none, true};

enum Crowding { alone, crowded };

HostEnvironment hostOf(const Reach &reach, Crowding crowding, int numRanks) {
  HostEnvironment host;
  host.numRanks = numRanks;
  host.zeroCopy = reach.zeroCopy;
  host.inWindows = reach.inWindows;
  host.crowded = crowding == crowded;
  return host;
}

struct Row {
  const Program &program;
  int rank;
  uint64_t bytes;
  Reach reach;
  Crowding crowding;
  Place place;
  std::string deliveries;
  uint64_t chunkBytes;
  bool stream;
};

} // namespace

TEST_CASE("each size, reach and place has its way") {
  // Rank 0 sends its input to rank 1; to ranks 1 to 3; and to rank 1, which
  // passes it on.
  const Program copied(Collective::broadcast, Shape::chain, 2);
  const Program copiedByAll(Collective::broadcast, Shape::star, 4);
  const Program passedOn(Collective::broadcast, Shape::chain, 3);
  // Rank 1 sends to rank 0, which sends a sum to rank 2 and passes on the
  // result.
  const Program reduced(Collective::allreduce, Shape::chain, 3);
  // Rank 2 sends the result to both others, from its output.
  const Program reducedByOne(Collective::allreduce, Shape::star, 3);
  // `reduced` and `copied` with slots of 1 MiB.
  const Program reducedMore(
      Program::modelOf(Collective::allreduce, Shape::chain, 3, M), 3);
  const Program copiedMore(
      Program::modelOf(Collective::broadcast, Shape::chain, 2, M), 2);
  // All ranks send their inputs to all others.
  const Program oneHop(Collective::allreduce, Shape::oneHop, 3);

  const Row rows[] = {
      // Threads borrow above 16 KiB, crowded or not.
      {copied, 0, 1, kThreads, alone, behind, "s", 64 * K, false},
      {copied, 0, 16 * K, kThreads, alone, behind, "s", 64 * K, false},
      {copied, 0, 16 * K, kThreads, alone, inPlace, "s", 64 * K, false},
      {copied, 0, 16 * K + 1, kThreads, alone, behind, "i", 64 * K, false},
      {copied, 0, 16 * K + 1, kThreads, alone, inPlace, "o", 64 * K, false},
      {copied, 0, 16 * K + 1, kThreads, alone, before, "i", 64 * K, false},
      {copied, 0, 16 * K + 1, kThreads, crowded, behind, "i", 64 * K, false},
      {copiedByAll, 0, 16 * K, kThreads, alone, behind, "S", 64 * K, false},
      {copiedByAll, 0, 16 * K + 1, kThreads, alone, behind, "i", 64 * K, false},
      {copiedByAll, 0, 16 * K + 1, kThreads, crowded, behind, "i", 64 * K,
       false},
      {passedOn, 1, 16 * K, kThreads, alone, behind, "s", 64 * K, false},
      {passedOn, 1, 16 * K + 1, kThreads, alone, behind, "o", 64 * K, false},
      {passedOn, 2, 16 * K + 1, kThreads, alone, behind, ".", 64 * K, false},
      {reduced, 0, 16 * K + 1, kThreads, alone, behind, "so", 64 * K, false},
      {reduced, 1, 16 * K + 1, kThreads, alone, behind, "i.", 64 * K, false},
      {reduced, 1, 16 * K + 1, kThreads, alone, inPlace, "i.", 64 * K, false},
      {reducedByOne, 2, 16 * K, kThreads, alone, behind, "S", 64 * K, false},
      {reducedByOne, 2, 16 * K + 1, kThreads, alone, behind, "o", 64 * K,
       false},
      {oneHop, 0, 16 * K, kThreads, alone, behind, "S.", 64 * K, false},
      {oneHop, 0, 16 * K + 1, kThreads, alone, behind, "i.", 64 * K, false},
      {oneHop, 0, 16 * K + 1, kThreads, alone, inPlace, "S.", 64 * K, false},

      // Processes with enough processors use slots: both ends copy at the same
      // time.
      {copied, 0, 32 * K, kProcesses, alone, behind, "s", 64 * K, false},
      {copied, 0, M, kProcesses, alone, behind, "s", 256 * K + 64, false},
      {copied, 0, M, kProcesses, alone, inPlace, "s", 256 * K + 64, false},
      {copiedByAll, 0, M, kProcesses, alone, behind, "S", 256 * K + 64, false},
      {passedOn, 1, M, kProcesses, alone, behind, "s", 256 * K + 64, false},
      {reduced, 0, M, kProcesses, alone, behind, "ss", 256 * K + 64, false},
      {reducedByOne, 2, M, kProcesses, alone, behind, "S", 256 * K + 64, false},
      // Crowded processes fetch what they copy, from 512 KiB on.
      {copied, 0, 512 * K - 1, kProcesses, crowded, behind, "s", 512 * K,
       false},
      {copied, 0, 512 * K, kProcesses, crowded, behind, "i", 512 * K, false},
      {copied, 0, 512 * K, kProcesses, crowded, inPlace, "o", 512 * K, false},
      {reduced, 0, 512 * K - 1, kProcesses, crowded, behind, "ss", 128 * K,
       false},
      {reduced, 0, 512 * K, kProcesses, crowded, behind, "so", 128 * K, false},
      {reduced, 1, 512 * K, kProcesses, crowded, behind, "s.", 128 * K, false},
      // They do not fetch what several ranks read or what is passed on.
      {copiedByAll, 0, 512 * K, kProcesses, crowded, behind, "S", 512 * K,
       false},
      {passedOn, 1, 512 * K, kProcesses, crowded, behind, "s", 128 * K + 64,
       false},
      {reducedByOne, 2, 512 * K, kProcesses, crowded, behind, "S", 128 * K,
       false},
      {oneHop, 0, 512 * K, kProcesses, crowded, behind, "S.", 128 * K, false},
      // If the kernel does not let them fetch, slots carry everything.
      {copied, 0, M, kSlotsOnly, alone, behind, "s", 256 * K + 64, false},
      {reduced, 0, M, kSlotsOnly, alone, behind, "ss", 256 * K + 64, false},

      // Sums that go through slots have chunks that fit into caches.
      {reducedMore, 0, 8 * M, kProcesses, alone, behind, "ss", 512 * K, false},
      {reducedMore, 0, 8 * M, kSlotsOnly, alone, behind, "ss", 512 * K, false},
      {reducedMore, 0, 8 * M, kProcesses, crowded, behind, "so", 128 * K,
       false},
      {reducedMore, 0, 8 * M, kThreads, alone, behind, "so", M, false},
      {copiedMore, 0, 8 * M, kProcesses, alone, behind, "s", M, false},

      // For the rank that owns them, registered buffers are as good as threads'
      // buffers.
      {copied, 0, 16 * K, kRegistered, alone, behind, "s", 64 * K, false},
      {copied, 0, 16 * K + 1, kRegistered, alone, behind, "i", 64 * K, false},
      {copied, 0, 16 * K + 1, kRegistered, crowded, inPlace, "o", 64 * K,
       false},
      {reduced, 1, 16 * K + 1, kRegistered, alone, behind, "i.", 64 * K, false},
      {reduced, 1, 16 * K + 1, kRegisteredSlotsOnly, alone, behind, "i.",
       64 * K, false},

      // A single copy has chunks as large as slots if all ranks know that it is
      // one. They do between threads; but only one rank knows of its windows.
      // If ranks share processors, it also has such chunks from 128 KiB on.
      {copied, 0, 256 * K, kThreads, alone, behind, "i", 256 * K + 64, false},
      {copied, 0, 4 * M, kThreads, alone, behind, "i", 512 * K, false},
      {passedOn, 1, 256 * K, kThreads, alone, behind, "o", 64 * K + 64, false},
      {copied, 0, 128 * K, kProcesses, alone, behind, "s", 64 * K, false},
      {copied, 0, 128 * K - 1, kProcesses, crowded, behind, "s", 64 * K, false},
      {copied, 0, 128 * K, kProcesses, crowded, behind, "s", 128 * K + 64,
       false},
      {copied, 0, 128 * K, kSlotsOnly, crowded, behind, "s", 128 * K + 64,
       false},
      {copied, 0, 128 * K, kRegistered, alone, behind, "i", 64 * K, false},
      {copied, 0, 128 * K, kRegistered, crowded, behind, "i", 128 * K + 64,
       false},

      // Outputs of 32 MiB together are streamed. Then nothing is fetched.
      {copied, 0, 16 * M - 1, kThreads, alone, behind, "i", 512 * K, false},
      {copied, 0, 16 * M, kThreads, alone, behind, "i", 512 * K, true},
      {passedOn, 1, 11184810, kThreads, alone, behind, "o", 512 * K, false},
      {passedOn, 1, 11184811, kThreads, alone, behind, "o", 512 * K, true},
      {copied, 0, 16 * M - 1, kProcesses, crowded, behind, "i", 512 * K, false},
      {copied, 0, 16 * M, kProcesses, crowded, behind, "s", 512 * K, true},
      {copied, 0, 16 * M, kRegistered, alone, behind, "i", 512 * K, true},
  };
  for (const Row &row : rows) {
    CAPTURE(&row - rows);
    const TransferPlan plan = row.program.choose(
        row.rank, row.bytes,
        hostOf(row.reach, row.crowding, row.program.numRanks()), row.place);
    CHECK(deliveries(plan, row.deliveries.size()) == row.deliveries);
    CHECK(plan.shape.chunkBytes == row.chunkBytes);
    CHECK(plan.stream == row.stream);
    CHECK(plan.shape.count == row.bytes);
    CHECK(plan.shape.elementBytes == 1);
  }

  // Other ranks must not see an input that is multiplied; outputs do not
  // change.
  const auto multiplied = [&](const Program &program, int rank,
                              const Reach &reach, Place place) {
    return deliveries(
        program.choose(rank, M, hostOf(reach, alone, 3), place, kPreMulSum),
        rank == 0 ? 2 : 1);
  };
  for (const Reach &reach : {kThreads, kProcesses, kRegistered})
    for (Place place : {behind, inPlace}) {
      CHECK(multiplied(oneHop, 0, reach, place).find('i') == std::string::npos);
      CHECK(multiplied(reduced, 1, reach, place) == "s");
      // Rank 2 has the sum in its output.
      CHECK(multiplied(reducedByOne, 2, reach, place) ==
            deliveries(
                reducedByOne.choose(2, M, hostOf(reach, alone, 3), place), 1));
    }
  CHECK(multiplied(reduced, 0, kThreads, behind).back() ==
        deliveries(reduced.choose(0, M, hostOf(kThreads, alone, 3)), 2).back());
  const TransferPlan plain = reduced.choose(1, 100, hostOf(kThreads, alone, 3)),
                     scaled = reduced.choose(1, 100, hostOf(kThreads, alone, 3),
                                             behind, kPreMulSum);
  CHECK(!plain.deliversAs(scaled));

  // In jobs of many ranks, calls are streamed even if their chunks are smaller
  // than slots.
  const TransferPlan many =
      copied.choose(0, M, hostOf(kProcesses, crowded, 64));
  CHECK(many.stream);
  CHECK(many.shape.chunkBytes == 256 * K + 64);
}

TEST_CASE("ranks agree on chunks, whatever each has for itself") {
  const Program programs[] = {
      {Collective::broadcast, Shape::chain, 2},
      {Collective::broadcast, Shape::star, 4},
      {Collective::allreduce, Shape::chain, 3},
      {Collective::allreduce, Shape::oneHop, 3},
      {Collective::allgather, Shape::chain, 3},
  };
  for (const Program &program : programs)
    for (uint64_t bytes = 1; bytes <= 64 * M; bytes *= 2)
      for (ZeroCopy zeroCopy :
           {ZeroCopy::direct, ZeroCopy::fetched, ZeroCopy::none})
        for (Crowding crowding : {alone, crowded}) {
          const int ranks = program.numRanks();
          const TransferPlan first = program.choose(
              0, bytes, hostOf({zeroCopy, false}, crowding, ranks));
          for (int rank = 0; rank < ranks; ++rank)
            for (int own = 0; own < 4; ++own) {
              const Reach reach{zeroCopy, (own & 1) != 0};
              const TransferPlan plan =
                  program.choose(rank, bytes, hostOf(reach, crowding, ranks),
                                 own & 2 ? inPlace : behind);
              REQUIRE(plan.shape.chunkBytes == first.shape.chunkBytes);
              REQUIRE(plan.shape.count == first.shape.count);
              REQUIRE(plan.stream == first.stream);
            }
        }
}

TEST_CASE("shared slots are drained before they are used in another way") {
  // Up to 40 KiB go to all ranks at once, and more along a chain.
  TestSchedule model = Program::modelOf(Collective::broadcast, Shape::star, 3);
  TestVariant chain =
      Program::modelOf(Collective::broadcast, Shape::chain, 3).variant();
  model.variant().maxBytes = chain.minBytes = 40 * K;
  model.programs[0].variants.push_back(chain);
  const Program program(model, 3);
  const HostEnvironment threads = hostOf(kThreads, alone, 3);
  const HostEnvironment processes = hostOf(kProcesses, alone, 3);
  const HostEnvironment registered = hostOf(kRegistered, alone, 3);
  const HostEnvironment slotsOnly = hostOf(kSlotsOnly, alone, 3);
  auto root = [&](uint64_t bytes, const HostEnvironment &host,
                  Place place = behind) {
    return program.choose(0, bytes, host, place);
  };
  const TransferPlan small = root(K, threads);
  const TransferPlan borrowed = root(32 * K, threads);
  const TransferPlan chained = root(64 * K, threads);
  REQUIRE(deliveries(small, 1) == "S");
  REQUIRE(deliveries(borrowed, 1) == "i");

  CHECK(!mustDrain({}, small)); // there was no call before
  CHECK(!mustDrain(small, small));
  CHECK(!mustDrain(small, root(16 * K, threads)));
  CHECK(mustDrain(small, borrowed));
  CHECK(mustDrain(borrowed, small));
  CHECK(!mustDrain(borrowed, root(33 * K, threads)));
  CHECK(mustDrain(small, chained));
  CHECK(mustDrain(borrowed, chained));
  CHECK(mustDrain(root(K, slotsOnly), root(64 * K, slotsOnly)));
  CHECK(!mustDrain(root(64 * K, threads), root(64 * M, threads)));
  // Slots work for any place of the buffers, but borrowed chunks may change to
  // slots.
  CHECK(!mustDrain(small, root(K, threads, inPlace)));
  CHECK(mustDrain(borrowed, root(32 * K, threads, inPlace)));
  CHECK(mustDrain(root(32 * K, processes), root(32 * K, registered)));
  // Rank 2 of the chain sends nothing, so there is nothing to borrow.
  CHECK(!mustDrain(program.choose(2, 64 * K, threads),
                   program.choose(2, 64 * K, slotsOnly)));
}
