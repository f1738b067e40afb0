//===- FlightTest.cpp - records of calls, and reading them ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/flight/FlightFolder.h"
#include "runtime/flight/PictureReader.h"
#include "runtime/flight/PictureText.h"
#include "test/common/Sanitizers.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace blink;
using namespace blink::runtime;

namespace {

FlightPlan planOf(const blinkUniqueId *id, int numRanks, int rank) {
  FlightPlan plan;
  plan.id = id;
  plan.numRanks = numRanks;
  plan.firstRank = rank;
  plan.numHere = id ? 1 : numRanks;
  plan.numLanes = 2;
  plan.queueLanes = 1;
  return plan;
}

Call callOf(uint64_t count, int peer = -1) {
  static char byte;
  Call call;
  call.kind.collective =
      peer < 0 ? sched::Collective::allreduce : sched::Collective::sendrecv;
  call.kind.count = count;
  call.peer = peer;
  call.send = &byte;
  return call;
}

bool exists(const std::string &path) { return access(path.c_str(), F_OK) == 0; }

/// Returns the path of the file that a process makes and leaves behind when it
/// ends without cleaning up.
std::string leftBehind(const blinkUniqueId *id) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    FlightFile file;
    const bool good = file.create(planOf(id, 2, 1)).ok();
    const std::string path = good ? file.path() : "";
    [[maybe_unused]] const ssize_t done =
        write(ends[1], path.data(), path.size());
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  char path[256];
  const ssize_t size = read(ends[0], path, sizeof(path));
  close(ends[0]);
  close(ends[1]);
  return {path, size_t(std::max<ssize_t>(size, 0))};
}

} // namespace

TEST_CASE("the last calls are kept, and what they say") {
  FlightFile file;
  REQUIRE(file.create(planOf(nullptr, 3, 0)).ok());
  FlightRecorder &recorder = file.of(1);
  for (uint64_t number = 1; number <= 3000; ++number) {
    const auto begun = recorder.begin(callOf(number), 7, ticks(), ticks());
    if (number != 3000)
      FlightRecorder::end(begun, blinkSuccess, ticks());
  }
  recorder.begin(callOf(5, 2), 8, ticks(), ticks());
  recorder.addWait(false, 0, 1000);
  recorder.addWait(true, 0, 500);
  CHECK(recorder.waitedFor(0) == 1500);
  const JobPicture job = readJob(file);
  REQUIRE(job.ranks.size() == 3);
  const RankPicture &rank = job.ranks[1];
  CHECK(rank.known);
  CHECK(rank.process == uint64_t(getpid()));
  CHECK(rank.liveness == Liveness::runs);
  CHECK(rank.collectives == 3000);
  REQUIRE(rank.calls.size() == kFlightCalls);
  for (size_t i = 0; i < rank.calls.size(); ++i) {
    const CallPicture &call = rank.calls[i];
    CHECK(call.number == 3000 - kFlightCalls + 1 + i);
    CHECK(call.kind.count == call.number);
    CHECK(call.variant == 7);
    CHECK(call.underWay() == (call.number == 3000));
    CHECK(call.started <= job.taken);
  }
  CHECK(rank.current()->number == 3000);
  REQUIRE(rank.sent.size() == 1);
  CHECK(rank.sent[0].describe() == "message of 5 int8 to rank 2");
  CHECK(rank.waitedFor[0] > 0);
  CHECK(!job.ranks[0].inCall());
}

TEST_CASE("a record that is being written is not believed") {
  FlightFile file;
  REQUIRE(file.create(planOf(nullptr, 1, 0)).ok());
  CallRecord &record = *file.of(0).begin(callOf(1), 0, ticks(), ticks()).record;
  storeRelaxed(&record.number, 0);
  CHECK(readJob(file).ranks[0].calls.empty());
  storeRelaxed(&record.number, 1);
  CHECK(readJob(file).ranks[0].calls.size() == 1);
}

TEST_CASE("a call that ends while it is looked at is not lost") {
  FlightFile file;
  REQUIRE(file.create(planOf(nullptr, 1, 0)).ok());
  FlightRecorder &recorder = file.of(0);
  constexpr uint64_t kCalls = 600;
  std::atomic<const FlightRecorder::Begun *> ending{nullptr};
  std::atomic<bool> taken{false};
  std::thread other([&] {
    for (uint64_t number = 1; number <= kCalls; ++number) {
      const FlightRecorder::Begun *next = nullptr;
      while (!(next = ending.exchange(nullptr)))
        std::this_thread::yield();
      const FlightRecorder::Begun begun = *next;
      taken = true;
      for (uint64_t wait = number % 512 * 1024; wait > 0; --wait)
        std::atomic_signal_fence(std::memory_order_seq_cst);
      FlightRecorder::end(begun, blinkSuccess, ticks());
    }
  });
  uint64_t lost = 0;
  for (uint64_t number = 1; number <= kCalls; ++number) {
    const auto begun = recorder.begin(callOf(number), 0, ticks(), ticks());
    ending = &begun;
    while (!taken.exchange(false)) // from here on it may end at any time
      std::this_thread::yield();
    const JobPicture job = readJob(file);
    const std::vector<CallPicture> &calls = job.ranks[0].calls;
    lost += calls.empty() || calls.back().number != number;
  }
  other.join();
  CHECK(lost == 0);
}

TEST_CASE("a device's record may be written in any order") {
  FlightPlan plan = planOf(nullptr, 1, 0);
  plan.open = [](std::shared_ptr<char> &, uint64_t) { return Status(); };
  FlightFile file;
  REQUIRE(file.create(plan).ok());
  FlightRecorder &recorder = file.of(0);
  recorder.counters().wallTime = wallTime();
  const auto recordOf = [](uint64_t number) {
    DeviceCallRecord record{};
    record.number = number;
    record.what = packLaunched(callOf(0).kind);
    record.count = number + 10;
    record.variant = number + 20;
    record.started = number + 30;
    record.check = checkOf(record);
    return record;
  };
  constexpr unsigned kWords = 6;
  const DeviceCallRecord before = recordOf(3),
                         after = recordOf(3 + kFlightCalls);
  DeviceCallRecord &place = recorder.deviceCalls(false)[3];
  // Whichever of the new words have been written, a reader sees one call or
  // none.
  for (unsigned come = 0; come < 1u << kWords; ++come) {
    for (unsigned word = 0; word < kWords; ++word)
      reinterpret_cast<uint64_t *>(&place)[word] =
          reinterpret_cast<const uint64_t *>(come >> word & 1 ? &after
                                                              : &before)[word];
    place.ended = endOf(before.number, 33);
    const std::vector<CallPicture> calls = readJob(file).ranks[0].calls;
    // Word 1 is the same in both records, so it does not matter whether it has
    // been written.
    const bool isBefore = (come & ~2u) == 0, isAfter = (come | 2u) == 63;
    CHECK(calls.size() == size_t(isBefore || isAfter));
    if (calls.empty())
      continue;
    CHECK(calls[0].number == (isBefore ? before : after).number);
    CHECK(calls[0].kind.count == (isBefore ? before : after).count);
    CHECK(calls[0].variant == (isBefore ? before : after).variant);
    CHECK(calls[0].underWay() == isAfter); // the end is the old call's
  }
  place.ended = endOf(after.number, after.started + 7);
  const CallPicture ended = readJob(file).ranks[0].calls[0];
  CHECK(ended.ended == ended.started + 7);
  CHECK(recorder.collectives() == after.number);
}

TEST_CASE("a wait is shown while its call is under way") {
  FlightFile file;
  REQUIRE(file.create(planOf(nullptr, 2, 0)).ok());
  FlightRecorder &recorder = file.of(0);
  const Call call = callOf(1);
  const auto begun = recorder.begin(call, 0, ticks(), ticks());
  recorder.show(call, 1, {1, 4 | uint64_t(2) << 32, 3, 1, 1, 6, 5, ticks()});
  const JobPicture job = readJob(file);
  REQUIRE(job.ranks[0].waits.size() == 1);
  const WaitPicture &wait = job.ranks[0].waits[0];
  CHECK(wait.lane == 4);
  CHECK(wait.step == 2);
  CHECK(wait.channel == 3);
  CHECK(wait.peer == 1);
  CHECK(wait.reading);
  CHECK(wait.expected == 6);
  CHECK(wait.seen == 5);
  CHECK(describeWaits(job) == "rank 0 waits for rank 1");
  FlightRecorder::end(begun, blinkSuccess, ticks());
  CHECK(readJob(file).ranks[0].waits.empty());
  // A wait for a rank that does not exist.
  const auto next = recorder.begin(call, 0, ticks(), ticks());
  recorder.show(call, 1, {2, 0, 0, 2, 1, 6, 5, ticks()});
  CHECK(readJob(file).ranks[0].waits.empty());
  FlightRecorder::end(next, blinkSuccess, ticks());
}

TEST_CASE("a message that waits is shown, however many follow it") {
  FlightFile file;
  REQUIRE(file.create(planOf(nullptr, 3, 0)).ok());
  FlightRecorder &recorder = file.of(0);
  const Call waiting = callOf(1, 1);
  const auto first = recorder.begin(waiting, 0, ticks(), ticks());
  recorder.show(waiting, 0, {first.number, 0, 0, 1, 1, 6, 5, ticks()});
  FlightRecorder::Begun last;
  for (uint64_t number = 0; number < kFlightCalls; ++number)
    last = recorder.begin(callOf(7, 2), 0, ticks(), ticks());
  REQUIRE(last.record == first.record);
  const RankPicture rank = readJob(file).ranks[0];
  REQUIRE(rank.waits.size() == 1);
  CHECK(rank.waits[0].call == first.number);
  CHECK(rank.waits[0].peer == 1);
  CHECK(rank.inCall());
  // Its end is not that of the message that has its record now.
  recorder.hide(waiting, 0);
  FlightRecorder::end(first, blinkSuccess, ticks());
  const std::vector<CallPicture> sent = readJob(file).ranks[0].sent;
  REQUIRE(!sent.empty());
  CHECK(sent.back().number == last.number);
  CHECK(sent.back().underWay());
}

TEST_CASE("what a dead process leaves is read while others run, then swept") {
  blinkUniqueId id{};
  std::snprintf(id.internal, sizeof(id.internal), "flight test %d",
                int(getpid()));
  std::string left;
  {
    FlightFile own;
    REQUIRE(own.create(planOf(&id, 2, 0)).ok());
    if (own.path().empty()) // the machine has no room in /dev/shm
      return;
    left = leftBehind(&id);
    REQUIRE(exists(left));
    const JobPicture job = readJob(own);
    REQUIRE(job.ranks.size() == 2);
    CHECK(job.ranks[0].liveness == Liveness::runs);
    CHECK(job.ranks[1].known);
    CHECK(job.ranks[1].liveness == Liveness::dead);
    sweepFlights();
    CHECK(exists(left));
  }
  sweepFlights();
  CHECK(!exists(left));
}

TEST_CASE("of a process that is killed while it makes a file nothing stays") {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit little{16, 16};
    setrlimit(RLIMIT_FSIZE, &little); // SIGXFSZ ends the child
    FlightFile file;
    (void)file.create(planOf(nullptr, 2, 0));
    _exit(0);
  }
  int how = 0;
  waitpid(child, &how, 0);
  if (!WIFSIGNALED(how)) // the machine has no /dev/shm
    return;
  const std::string prefix = flightPrefix() + std::to_string(child) + ".";
  for (const std::string &path : listFlights())
    CHECK_MESSAGE(path.compare(0, prefix.size(), prefix) != 0, path);
}

TEST_CASE("files that are damaged are read without harm") {
  FlightFile own;
  REQUIRE(own.create(planOf(nullptr, 3, 0)).ok());
  if (own.path().empty())
    return;
  for (int i = 0; i < 100; ++i)
    FlightRecorder::end(own.of(i % 3).begin(callOf(uint64_t(i)), 0, 1, 1),
                        blinkSuccess, 2);
  std::ifstream stream(own.path(), std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(stream)),
                         std::istreambuf_iterator<char>());
  // The name sorts behind all real ones.
  const std::string path = flightPrefix() + "test." + std::to_string(getpid());
  std::mt19937 random(1);
  for (int turn = 0; turn < (test::kSlow ? 60 : 300); ++turn) {
    std::string bytes = good;
    for (unsigned flips = random() % 8; flips > 0; --flips)
      bytes[random() % (turn % 2 ? sizeof(FlightHeader) : bytes.size())] ^=
          char(1u << random() % 8);
    if (turn % 3 == 0)
      bytes.resize(random() % bytes.size());
    std::ofstream(path, std::ios::binary) << bytes;
    FlightHeader header;
    FlightSource(path).readHeader(header);
    for (const JobPicture &job : readJobs())
      toJson(job, diagnose(job), true);
  }
  unlink(path.c_str());
  CHECK(!readJobs().empty());
}
