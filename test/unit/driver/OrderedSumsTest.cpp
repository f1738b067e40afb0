//===- OrderedSumsTest.cpp - the same bits for every size -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Schedules that add in one order, proved, run and made wrong. What the proof
// says is compared with the bits that the host back end and the CUDA back end
// on emulated devices compute.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Bundle.h"
#include "compiler/verify/Verify.h"
#include "schedules/ScheduleFile.h"
#include "test/common/Contains.h"
#include "test/conformance/Job.h"
#include "test/unit/driver/CompileFile.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <tuple>

using namespace blink;
using namespace blink::test;

namespace {

// Emulated devices fold as devices do for any size, so only the host runs the
// longest ranges.
#ifdef BLINK_TEST_EMULATED
constexpr bool kEmulated = true;
#else
constexpr bool kEmulated = false;
#endif

struct Machine {
  const char *name;
  std::vector<int> gpus; ///< empty: all
  ReductionOrder asked, proved;
};

const Machine kMachines[] = {
    {"dgx1", {}, ReductionOrder::rank, ReductionOrder::rank},
    {"dgx1", {5, 1, 6, 4, 7}, ReductionOrder::rank, ReductionOrder::rank},
    {"dgx1", {1, 4, 6}, ReductionOrder::invariant, ReductionOrder::rank},
    {"dgx-h100", {}, ReductionOrder::rank, ReductionOrder::rank},
    {"pcie-8gpu", {}, ReductionOrder::rank, ReductionOrder::rank},
    {"mi250", {}, ReductionOrder::invariant, ReductionOrder::invariant},
};

/// Compiles each schedule once: several tests prove or run the same.
const std::vector<uint8_t> &compileFor(const Machine &machine,
                                       Collective collective, int root = 0) {
  static std::map<std::tuple<std::string, std::vector<int>, ReductionOrder,
                             Collective, int>,
                  std::vector<uint8_t>>
      made;
  if (!isRooted(collective))
    root = 0;
  std::vector<uint8_t> &bytes =
      made[{machine.name, machine.gpus, machine.asked, collective, root}];
  if (!bytes.empty())
    return bytes;
  CompileOptions options;
  options.collective = collective;
  options.gpus = machine.gpus;
  options.root = root;
  options.order = machine.asked;
  return bytes = compileFile(shippedTopology(machine.name), options);
}

/// Returns a DGX-1's schedule for an allreduce in no order.
const std::vector<uint8_t> &compileWithoutOrder() {
  static const std::vector<uint8_t> bytes =
      compileFile(shippedTopology("dgx1"), CompileOptions());
  return bytes;
}

VerifyReport proofOf(const std::vector<uint8_t> &bytes) {
  std::string error;
  const sched::Schedule *file =
      sched::openSchedule(bytes.data(), bytes.size(), error);
  REQUIRE_MESSAGE(file, error);
  return verifyProgram(*file, *file->programs()->Get(0));
}

const Check &checkOf(const VerifyReport &report, const std::string &name) {
  auto check =
      std::find_if(report.checks.begin(), report.checks.end(),
                   [&](const Check &check) { return check.name == name; });
  REQUIRE(check != report.checks.end());
  return *check;
}

/// Returns numbers whose sums depend on the order, one list per rank.
std::vector<std::vector<float>> roughNumbers(int ranks, size_t count) {
  std::mt19937 random(11);
  std::vector<std::vector<float>> numbers(ranks);
  for (auto &list : numbers)
    for (size_t i = 0; i < count; ++i)
      list.push_back((float(random() % 20001) - 10000.0f) *
                     (random() % 2 ? 1e-6f : 1.0f));
  return numbers;
}

} // namespace

TEST_CASE("the order asked for is proved") {
  if (kEmulated) // this test runs nothing
    return;
  for (const Machine &machine : kMachines)
    for (Collective collective : {Collective::allreduce, Collective::reduce,
                                  Collective::reducescatter}) {
      CAPTURE(machine.name);
      CAPTURE(toString(collective).str());
      const VerifyReport report = proofOf(compileFor(machine, collective, 1));
      for (const Check &check : report.checks)
        CHECK_MESSAGE(check.ok, check.name << ": " << check.detail);
      CHECK(contains(checkOf(report, "order").detail, "in one order"));
      // If order `invariant` was asked for, the proof may find more: order
      // `rank`.
      const bool asAsked = report.order == machine.proved ||
                           report.order == ReductionOrder::rank;
      CHECK(asAsked);
    }
  // If a switch joins all GPUs each element is added in one step; otherwise it
  // is not.
  CHECK(proofOf(compileFor(kMachines[3], Collective::allreduce)).orderOfNarrow);
  CHECK_FALSE(
      proofOf(compileFor(kMachines[0], Collective::allreduce)).orderOfNarrow);
}

TEST_CASE("without an order trees differ, and a wrong one is found") {
  CHECK(proofOf(compileWithoutOrder()).order == ReductionOrder::none);
  std::vector<uint8_t> bytes = compileFor(kMachines[0], Collective::allreduce);
  std::string error;
  const sched::Schedule *file =
      sched::openSchedule(bytes.data(), bytes.size(), error);
  REQUIRE(file);
  // Swap two sources of a step of the last variant.
  const auto &variants = *file->programs()->Get(0)->variants();
  const sched::Variant &variant = *variants.Get(variants.size() - 1);
  bool swapped = false;
  for (const sched::RankProgram *rank : *variant.ranks())
    for (const sched::Step *step : *rank->steps()) {
      if (swapped || step->sources() < 2)
        continue;
      auto *operands = reinterpret_cast<sched::Operand *>(
          const_cast<uint8_t *>(rank->operands()->Data()));
      std::swap(operands[step->operands_begin()],
                operands[step->operands_begin() + 1]);
      swapped = true;
    }
  REQUIRE(swapped);
  const VerifyReport report = verifyProgram(*file, *file->programs()->Get(0));
  CHECK_FALSE(report.ok);
  CHECK(report.order == ReductionOrder::none);
  CHECK(checkOf(report, "result").ok);
  const Check &order = checkOf(report, "order");
  CHECK_FALSE(order.ok);
  CHECK(contains(order.detail, "and not that of the first tree; the file "
                               "states one order"));
}

TEST_CASE("an element has the same bits wherever it stands") {
  constexpr size_t kMost = kEmulated ? 100000 : 400000;
  const size_t sizes[] = {1, 2, 3, 31, 1000, 4097, 16384, kMost / 5, kMost};
  for (const Machine &machine : kMachines) {
    CAPTURE(machine.name);
    const std::vector<uint8_t> &bytes =
        compileFor(machine, Collective::allreduce);
    std::string error;
    const int ranks = int(sched::openSchedule(bytes.data(), bytes.size(), error)
                              ->programs()
                              ->Get(0)
                              ->allocation()
                              ->size());
    const std::vector<std::vector<float>> numbers = roughNumbers(ranks, kMost);
    // One contribution after the other, in the order of ranks.
    std::vector<float> expected = numbers[0];
    for (int rank = 1; rank < ranks; ++rank)
      for (size_t i = 0; i < kMost; ++i)
        expected[i] += numbers[rank][i];
    if (machine.proved == ReductionOrder::invariant)
      expected.clear(); // the first result sets it
    const Job job(bytes, ranks, 0, nullptr);
    std::mt19937 random(3);
    for (auto size = std::rbegin(sizes); size != std::rend(sizes); ++size) {
      CAPTURE(*size);
      const size_t offset = *size == kMost ? 0 : random() % (kMost - *size);
      const bool inPlace = random() % 2;
      std::vector<std::vector<float>> inputs(ranks), outputs(ranks);
      for (int rank = 0; rank < ranks; ++rank) {
        const float *begin = numbers[rank].data() + offset;
        inputs[rank].assign(begin, begin + *size);
        outputs[rank].resize(*size);
      }
      for (blinkResult_t result : job.onThreads([&](int rank) {
             float *in = inputs[rank].data();
             return blinkAllReduce(in, inPlace ? in : outputs[rank].data(),
                                   *size, blinkFloat32, blinkSum, job[rank],
                                   job.stream(rank));
           }))
        REQUIRE(result == blinkSuccess);
      const auto &results = inPlace ? inputs : outputs;
      if (expected.empty())
        expected = results[0];
      for (const std::vector<float> &result : results)
        CHECK(std::memcmp(result.data(), expected.data() + offset,
                          *size * sizeof(float)) == 0);
    }
  }
}

namespace {

/// Rounds to the nearest bfloat16, ties to even.
uint16_t roundToBfloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
float fromBfloat16(uint16_t half) {
  const uint32_t bits = uint32_t(half) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

} // namespace

TEST_CASE("a narrow sum is a sequential one of float32, rounded once") {
  constexpr size_t kMost = kEmulated ? 60000 : 300000;
  for (size_t m : {0, 1, 4}) {
    const Machine &machine = kMachines[m];
    CAPTURE(machine.name);
    CompileOptions options;
    options.gpus = machine.gpus;
    options.order = machine.asked;
    options.accumulate = sched::Accumulation::f32;
    const std::vector<uint8_t> bytes =
        compileFile(shippedTopology(machine.name), options);
    CHECK(proofOf(bytes).orderOfNarrow);
    const int ranks = machine.gpus.empty() ? 8 : int(machine.gpus.size());
    std::vector<std::vector<uint16_t>> numbers(ranks);
    std::vector<float> sums;
    const auto rough = roughNumbers(ranks, kMost);
    for (int rank = 0; rank < ranks; ++rank)
      for (size_t i = 0; i < kMost; ++i) {
        numbers[rank].push_back(roundToBfloat16(rough[rank][i]));
        const float number = fromBfloat16(numbers[rank][i]);
        if (rank == 0)
          sums.push_back(number);
        else
          sums[i] += number;
      }
    std::vector<uint16_t> expected;
    for (float sum : sums)
      expected.push_back(roundToBfloat16(sum));
    // Communicators that ask for an order accept narrow types, too.
    setenv("BLINK_ORDER", "rank", 1);
    const Job job(bytes, ranks, 0, nullptr);
    unsetenv("BLINK_ORDER");
    std::mt19937 random(3);
    for (size_t size :
         {kMost, kMost / 3, size_t(5001), size_t(17), size_t(1)}) {
      const size_t offset = random() % (kMost - size + 1);
      CAPTURE(size);
      const bool inPlace = random() % 2;
      std::vector<std::vector<uint16_t>> inputs(ranks), outputs(ranks);
      for (int rank = 0; rank < ranks; ++rank) {
        const uint16_t *begin = numbers[rank].data() + offset;
        inputs[rank].assign(begin, begin + size);
        outputs[rank].resize(size);
      }
      for (blinkResult_t result : job.onThreads([&](int rank) {
             uint16_t *in = inputs[rank].data();
             return blinkAllReduce(in, inPlace ? in : outputs[rank].data(),
                                   size, blinkBfloat16, blinkSum, job[rank],
                                   job.stream(rank));
           }))
        REQUIRE(result == blinkSuccess);
      for (const auto &result : inPlace ? inputs : outputs)
        CHECK(std::memcmp(result.data(), expected.data() + offset,
                          size * sizeof(uint16_t)) == 0);
    }
  }
}

TEST_CASE("2^24 elements have the bits of fewer") {
  if (kEmulated)
    return;
  // Three GPUs of a DGX-1, with buffers of 64 MiB each.
  const Machine few{
      "dgx1", {1, 4, 6}, ReductionOrder::rank, ReductionOrder::rank};
  constexpr size_t kMost = size_t(1) << 24;
  const Job job(compileFor(few, Collective::allreduce), 3, 0, nullptr);
  std::vector<std::vector<float>> numbers(3), sums(3);
  for (int rank : {0, 1, 2}) {
    std::mt19937 random(uint32_t(rank + 5));
    for (size_t i = 0; i < kMost; ++i)
      numbers[rank].push_back(float(int32_t(random())) * 1e-6f);
    sums[rank].resize(kMost);
  }
  for (size_t size : {kMost, kMost / 2 + 1, size_t(1) << 16, size_t(3)}) {
    CAPTURE(size);
    const size_t offset = (kMost - size) / 3;
    for (blinkResult_t result : job.onThreads([&](int rank) {
           return blinkAllReduce(numbers[rank].data() + offset,
                                 sums[rank].data(), size, blinkFloat32,
                                 blinkSum, job[rank], job.stream(rank));
         }))
      REQUIRE(result == blinkSuccess);
    size_t wrong = 0;
    for (size_t i = 0; i < size; ++i)
      wrong += sums[0][i] != numbers[0][offset + i] + numbers[1][offset + i] +
                                 numbers[2][offset + i];
    CHECK(wrong == 0);
    for (int rank : {1, 2})
      CHECK(std::equal(sums[0].begin(), sums[0].begin() + ptrdiff_t(size),
                       sums[rank].begin()));
  }
}

TEST_CASE("parts of reduce and reducescatter have the bits of allreduce") {
  const Machine &machine = kMachines[0];
  constexpr int kRanks = 8, kRoot = 3;
  constexpr size_t kCount = 5000;
  const std::vector<std::vector<float>> numbers =
      roughNumbers(kRanks, kCount * kRanks);
  std::vector<float> expected = numbers[0];
  for (int rank = 1; rank < kRanks; ++rank)
    for (size_t i = 0; i < expected.size(); ++i)
      expected[i] += numbers[rank][i];
  std::vector<std::vector<float>> outputs(kRanks,
                                          std::vector<float>(expected.size()));
  {
    const Job job(compileFor(machine, Collective::reduce, kRoot), kRanks, 0,
                  nullptr);
    for (blinkResult_t result : job.onThreads([&](int rank) {
           return blinkReduce(numbers[rank].data(), outputs[rank].data(),
                              expected.size(), blinkFloat32, blinkSum, kRoot,
                              job[rank], job.stream(rank));
         }))
      REQUIRE(result == blinkSuccess);
    CHECK(outputs[kRoot] == expected);
  }
  const Job job(compileFor(machine, Collective::reducescatter), kRanks, 0,
                nullptr);
  for (blinkResult_t result : job.onThreads([&](int rank) {
         return blinkReduceScatter(numbers[rank].data(), outputs[rank].data(),
                                   kCount, blinkFloat32, blinkSum, job[rank],
                                   job.stream(rank));
       }))
    REQUIRE(result == blinkSuccess);
  for (int rank = 0; rank < kRanks; ++rank)
    CHECK(std::memcmp(outputs[rank].data(), expected.data() + rank * kCount,
                      kCount * sizeof(float)) == 0);
}

namespace {

/// Sets BLINK_ORDER during the object's lifetime.
struct OrderAsked {
  explicit OrderAsked(const char *order) { setenv("BLINK_ORDER", order, 1); }
  ~OrderAsked() { unsetenv("BLINK_ORDER"); }
};

/// Runs an allreduce of one element on all ranks; returns "" or its error.
std::string reduceOne(const Job &job, blinkDataType_t type) {
  std::vector<uint64_t> elements(job.size(), 0);
  const std::vector<blinkResult_t> results = job.onThreads([&](int rank) {
    return blinkAllReduce(&elements[rank], &elements[rank], 1, type, blinkSum,
                          job[rank], job.stream(rank));
  });
  for (blinkResult_t result : results)
    CHECK(result == results[0]);
  const bool known =
      results[0] == blinkSuccess || results[0] == blinkInvalidUsage;
  CHECK(known);
  return results[0] == blinkSuccess ? "" : blinkGetLastError(job[0]);
}

} // namespace

TEST_CASE("a communicator that asks for an order is served one or refused") {
  const std::vector<uint8_t> &plain = compileWithoutOrder();
  const std::vector<uint8_t> &ordered =
      compileFor(kMachines[0], Collective::allreduce);
  const std::vector<uint8_t> &oneStep =
      compileFor(kMachines[3], Collective::allreduce);
  const std::vector<uint8_t> &halves =
      compileFor(kMachines[5], Collective::allreduce);
  {
    const OrderAsked rank("rank");
    const Job unordered(plain, 8, 0, nullptr);
    CHECK(contains(reduceOne(unordered, blinkFloat32),
                   "allreduce: the schedule promises order none of sums, and "
                   "the communicator asks for rank: compile with blinkc "
                   "compile --order rank"));
    CHECK(reduceOne(unordered, blinkInt32) == "");
    const Job job(ordered, 8, 0, nullptr);
    CHECK(reduceOne(job, blinkFloat64) == "");
    CHECK(contains(reduceOne(job, blinkBfloat16),
                   "the schedule adds in several steps"));
    const Job narrow(oneStep, 8, 0, nullptr);
    CHECK(reduceOne(narrow, blinkBfloat16) == "");
    const Job other(halves, 16, 0, nullptr);
    CHECK(contains(reduceOne(other, blinkFloat32), "promises order invariant"));
  }
  {
    const OrderAsked invariant("invariant");
    const Job other(halves, 16, 0, nullptr);
    CHECK(reduceOne(other, blinkFloat32) == "");
    const Job more(ordered, 8, 0, nullptr);
    CHECK(reduceOne(more, blinkFloat32) == "");
  }
  const Job job(plain, 8, 0, nullptr);
  CHECK(reduceOne(job, blinkBfloat16) == "");
}

TEST_CASE("a bundle promises one order, and by its own ranks which") {
  const Topology dgx1 = shippedTopology("dgx1");
  BundleOptions options;
  options.each.order = ReductionOrder::invariant;
  options.allocations = {{1, 4, 6}};
  options.collectives = {Collective::allreduce};
  const std::vector<uint8_t> bytes =
      valueOf(compileBundle(dgx1, options, [](size_t, size_t) {}));
  constexpr size_t kCount = 3000;
  const std::vector<std::vector<float>> numbers = roughNumbers(3, kCount);
  std::vector<std::vector<float>> whole;
  for (const std::vector<int> &gpus :
       {std::vector<int>{1, 4, 6}, std::vector<int>{6, 1, 4}}) {
    const OrderAsked invariant("invariant");
    const Job job(bytes, 3, 0, gpus.data());
    std::vector<std::vector<float>> sums(3, std::vector<float>(kCount));
    auto reduce = [&](size_t first, size_t count) {
      for (blinkResult_t result : job.onThreads([&](int rank) {
             return blinkAllReduce(
                 numbers[rank].data() + first, sums[rank].data() + first, count,
                 blinkFloat32, blinkSum, job[rank], job.stream(rank));
           }))
        REQUIRE(result == blinkSuccess);
    };
    reduce(0, kCount);
    const std::vector<float> all = sums[0];
    reduce(17, 1);
    reduce(100, 2000);
    CHECK(sums[0] == all);
    CHECK(sums[2] == all);
  }
  // One of the two jobs has its ranks in the program's order, the other has
  // not.
  const OrderAsked rank("rank");
  int refused = 0;
  for (const std::vector<int> &gpus :
       {std::vector<int>{1, 4, 6}, std::vector<int>{6, 1, 4}}) {
    const Job job(bytes, 3, 0, gpus.data());
    refused += contains(reduceOne(job, blinkFloat32),
                        "promises order invariant of sums");
  }
  CHECK(refused >= 1);
}

TEST_CASE("the order is asked for by word or by configuration") {
  const std::vector<uint8_t> &plain = compileWithoutOrder();
  blinkSchedule_t schedule = nullptr;
  REQUIRE(blinkScheduleOpenMemory(plain.data(), plain.size(), &schedule) ==
          blinkSuccess);
  blinkComm_t comms[8] = {};
  auto make = [&](blinkConfig_t config) {
    return blinkCommInitAll(comms, 8, nullptr, schedule, &config);
  };
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  {
    const OrderAsked wrong("sorted");
    CHECK(make(config) == blinkInvalidArgument);
    CHECK(contains(blinkGetLastError(nullptr),
                   "BLINK_ORDER is 'sorted', expected none, invariant or "
                   "rank"));
  }
  config.order = blinkOrder_t(7);
  CHECK(make(config) == blinkInvalidArgument);
  CHECK(contains(blinkGetLastError(nullptr), "unknown order 7"));
  // The configuration takes precedence over the environment.
  const OrderAsked rank("rank");
  config.order = blinkOrderNone;
  REQUIRE(make(config) == blinkSuccess);
  float one = 1, sum = 0;
  blinkGroupStart();
  std::vector<float> sums(8);
  for (int r = 0; r < 8; ++r)
    CHECK(blinkAllReduce(&one, &sums[r], 1, blinkFloat32, blinkSum, comms[r],
                         nullptr) == blinkSuccess);
  CHECK(blinkGroupEnd() == blinkSuccess);
  for (float each : sums)
    sum += each;
  CHECK(sum == 64);
  for (blinkComm_t comm : comms)
    CHECK(blinkCommDestroy(comm) == blinkSuccess);
  blinkScheduleClose(schedule);
}
