//===- DiagnosisTest.cpp - is the culprit named? --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Jobs with one fault are played until nothing moves, and then judged by what
// their ranks would show.
//
//===----------------------------------------------------------------------===//

#include "runtime/flight/Diagnosis.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <map>
#include <random>

using namespace blink;
using namespace blink::runtime;
using sched::Collective;

namespace {

enum class Fault { die, stop, skip, twice, late, swap, spin };

/// A job with one fault.
class Scenario {
public:
  explicit Scenario(uint64_t seed) : random_(seed) {}

  /// Plays the job. Returns false if no rank waits in the end.
  bool play();

  int culprit = 0;
  Fault fault = Fault::die;
  JobPicture picture;

private:
  struct Rank {
    std::vector<CallKind> script;
    size_t begun = 0, ended = 0; ///< number of calls
    bool inCall() const { return begun != ended; }
  };

  int below(uint64_t n) { return int(random_() % n); }
  CallKind drawKind();
  void drawFault();
  bool isFrozen(int rank) const; ///< makes no further progress
  bool gives(int rank, size_t call) const;
  std::vector<int> missing(int rank) const;
  bool step(int rank);
  int nextOnWay(int from, int to) const;
  void show();

  std::mt19937_64 random_;
  int numRanks_ = 0;
  std::vector<int> parents_;
  std::vector<Rank> ranks_;
  size_t freezeAt_ = 0;       ///< number of calls the culprit makes first
  bool freezeInCall_ = false; ///< in a call, or between two
};

CallKind Scenario::drawKind() {
  constexpr Collective kinds[] = {Collective::allreduce, Collective::allgather,
                                  Collective::broadcast, Collective::reduce};
  CallKind kind;
  kind.collective = kinds[below(4)];
  kind.type = blinkFloat32;
  kind.count = uint64_t(1 + below(2));
  if (sched::isRooted(kind.collective))
    kind.root = below(uint64_t(numRanks_));
  return kind;
}

void Scenario::drawFault() {
  culprit = below(uint64_t(numRanks_));
  fault = Fault(below(7));
  auto &script = ranks_[size_t(culprit)].script;
  const size_t place = size_t(below(script.size()));
  freezeAt_ = ~size_t(0);
  switch (fault) {
  case Fault::skip:
    script.erase(script.begin() + ptrdiff_t(place));
    return;
  case Fault::twice:
    script.insert(script.begin() + ptrdiff_t(place), script[place]);
    return;
  case Fault::swap:
    if (place + 1 < script.size())
      std::swap(script[place], script[place + 1]);
    return;
  case Fault::late:
    freezeAt_ = place;
    return;
  case Fault::spin:
    freezeAt_ = place + 1;
    freezeInCall_ = true;
    return;
  case Fault::die:
  case Fault::stop:
    freezeInCall_ = below(2) == 1;
    freezeAt_ = place + size_t(freezeInCall_);
    return;
  }
}

bool Scenario::isFrozen(int rank) const {
  const Rank &state = ranks_[size_t(rank)];
  return rank == culprit && state.begun == freezeAt_ &&
         state.inCall() == freezeInCall_;
}

/// Whether a rank does its part of a call for the ranks that need it.
bool Scenario::gives(int rank, size_t call) const {
  return ranks_[size_t(rank)].begun > call &&
         !(isFrozen(rank) && ranks_[size_t(rank)].begun == call + 1 &&
           freezeInCall_);
}

/// Returns the ranks that keep this rank in its call.
std::vector<int> Scenario::missing(int rank) const {
  const Rank &state = ranks_[size_t(rank)];
  const size_t call = state.begun - 1;
  const CallKind &kind = state.script[call];
  std::vector<int> others;
  for (int other = 0; other < numRanks_; ++other) {
    const Rank &of = ranks_[size_t(other)];
    const bool isRoot = kind.root == rank;
    const bool needsData = kind.collective == Collective::broadcast
                               ? other == kind.root
                           : kind.collective == Collective::reduce ? isRoot
                                                                   : true;
    // Data of a different call never fits, and the slots have room for two
    // calls.
    const bool differs = of.begun > call && of.script[call] != kind;
    const bool lacks = needsData ? differs || !gives(other, call)
                                 : call >= 2 && !gives(other, call - 2);
    if (other != rank && lacks)
      others.push_back(other);
  }
  return others;
}

bool Scenario::step(int rank) {
  Rank &state = ranks_[size_t(rank)];
  if (isFrozen(rank))
    return false;
  if (!state.inCall()) {
    if (state.begun == state.script.size())
      return false;
    ++state.begun;
    return true;
  }
  if (!missing(rank).empty())
    return false;
  state.ended = state.begun;
  return true;
}

/// Returns the neighbour of `from` in the tree on the way to `to`.
int Scenario::nextOnWay(int from, int to) const {
  for (int rank = to; rank != 0; rank = parents_[size_t(rank)])
    if (parents_[size_t(rank)] == from)
      return rank;
  return parents_[size_t(from)];
}

void Scenario::show() {
  picture.ranks.resize(size_t(numRanks_));
  for (int r = 0; r < numRanks_; ++r) {
    const Rank &state = ranks_[size_t(r)];
    RankPicture &rank = picture.ranks[size_t(r)];
    rank.known = true;
    rank.process = uint64_t(1000 + r);
    rank.liveness = Liveness::runs;
    if (r == culprit && fault == Fault::die && isFrozen(r))
      rank.liveness = Liveness::dead;
    if (r == culprit && fault == Fault::stop && isFrozen(r))
      rank.liveness = Liveness::stopped;
    rank.collectives = state.begun;
    for (size_t call = 0; call < state.begun; ++call) {
      CallPicture shown;
      shown.number = call + 1;
      shown.kind = state.script[call];
      shown.started = 1;
      shown.ended = call < state.ended ? 2 : 0;
      rank.calls.push_back(shown);
    }
    if (!state.inCall() || isFrozen(r))
      continue;
    for (int other : missing(r)) {
      WaitPicture wait;
      wait.call = state.begun;
      wait.peer = nextOnWay(r, other);
      rank.waits.push_back(wait);
    }
    std::shuffle(rank.waits.begin(), rank.waits.end(), random_);
    rank.waits.resize(1 + size_t(below(rank.waits.size())));
  }
}

bool Scenario::play() {
  numRanks_ = 3 + below(14);
  for (int rank = 0; rank < numRanks_; ++rank)
    parents_.push_back(rank ? below(uint64_t(rank)) : 0);
  std::vector<CallKind> script;
  for (int i = 2 + below(30); i > 0; --i)
    script.push_back(!script.empty() && below(2) ? script.back() : drawKind());
  ranks_.assign(size_t(numRanks_), {script});
  drawFault();
  for (bool moved = true; moved;) {
    moved = false;
    std::vector<int> order;
    for (int rank = 0; rank < numRanks_; ++rank)
      order.push_back(rank);
    std::shuffle(order.begin(), order.end(), random_);
    for (int rank : order)
      moved |= step(rank);
  }
  bool waits = false;
  for (int rank = 0; rank < numRanks_; ++rank)
    waits |= ranks_[size_t(rank)].inCall() && !isFrozen(rank);
  if (waits)
    show();
  return waits;
}

CallPicture callOf(Collective collective, uint64_t number, uint64_t count,
                   bool ended) {
  CallPicture call;
  call.number = number;
  call.kind.collective = collective;
  call.kind.type = blinkFloat32;
  call.kind.count = count;
  call.started = 1;
  call.ended = ended;
  return call;
}

/// Returns three ranks that have made two allreduces; the first two are in the
/// third.
JobPicture thirdIsLate() {
  JobPicture job;
  job.ranks.resize(3);
  for (size_t r = 0; r < 3; ++r) {
    RankPicture &rank = job.ranks[r];
    rank.known = true;
    rank.process = 100 + r;
    rank.liveness = Liveness::runs;
    rank.collectives = r == 2 ? 2 : 3;
    for (uint64_t number = 1; number <= rank.collectives; ++number)
      rank.calls.push_back(
          callOf(Collective::allreduce, number, number, number < 3));
    if (r != 2) {
      rank.waits.emplace_back();
      rank.waits[0].call = 3;
      rank.waits[0].peer = 2;
    }
  }
  return job;
}

} // namespace

TEST_CASE("of 1,000 jobs with a fault the culprit is named in 1,000") {
  int judged = 0;
  std::map<Fault, int> faults;
  for (uint64_t seed = 1; judged < 1000; ++seed) {
    Scenario scenario(seed);
    if (!scenario.play())
      continue;
    ++judged;
    ++faults[scenario.fault];
    const Diagnosis found = diagnose(scenario.picture);
    INFO("seed ", seed, ", fault ", int(scenario.fault), ": ", found.sentence);
    CHECK(found.culprits == std::vector<int>{scenario.culprit});
    if (scenario.fault == Fault::die)
      CHECK(found.cause == Cause::died);
    if (scenario.fault == Fault::stop)
      CHECK(found.cause == Cause::stopped);
    if (scenario.fault == Fault::late)
      CHECK(found.cause == Cause::behind);
  }
  CHECK(faults.size() == 7);
  for (const auto &[fault, number] : faults)
    CHECK(number > 30);
}

TEST_CASE("the sentence says what the culprit has not done") {
  JobPicture job = thirdIsLate();
  CHECK(diagnose(job).sentence ==
        "rank 2 has made 2 calls, the others 3: it has not called allreduce of "
        "3 float32 with sum");
  CHECK(diagnose(job).cause == Cause::behind);
  job.ranks[2].liveness = Liveness::stopped;
  CHECK(diagnose(job).sentence ==
        "the process of rank 2, number 102, has been stopped, behind its call "
        "2, allreduce of 2 float32 with sum");
  job.ranks[2].liveness = Liveness::dead;
  CHECK(diagnose(job).sentence ==
        "the process of rank 2, number 102, has died, behind its call 2, "
        "allreduce of 2 float32 with sum");
  job.ranks[0].liveness = Liveness::dead;
  CHECK(diagnose(job).sentence == "the processes of ranks 0,2 have died");
}

TEST_CASE("calls that differ have both sides named") {
  JobPicture job = thirdIsLate();
  job.ranks[2].collectives = 3;
  job.ranks[2].calls.push_back(callOf(Collective::allgather, 3, 7, false));
  const Diagnosis found = diagnose(job);
  CHECK(found.cause == Cause::differs);
  CHECK(found.sentence ==
        "the ranks' calls differ: as call 3 rank 2 has allgather of 7 float32, "
        "ranks 0,1 have allreduce of 3 float32 with sum");
  // With two ranks, neither is in the minority.
  job.ranks.erase(job.ranks.begin());
  CHECK(diagnose(job).culprits == std::vector<int>{0, 1});
}

TEST_CASE("numbers of calls that are far apart, as in a damaged file") {
  JobPicture job = thirdIsLate();
  job.ranks[2].calls.back().number = job.ranks[2].collectives = 1ull << 62;
  CHECK(diagnose(job).cause == Cause::behind);
}

TEST_CASE("one rank alone in a call that it has made before") {
  JobPicture job = thirdIsLate();
  job.ranks[0].calls[2].kind.count = 2;
  job.ranks[1] = job.ranks[2];
  const Diagnosis found = diagnose(job);
  CHECK(found.cause == Cause::extra);
  CHECK(found.culprits == std::vector<int>{0});
  CHECK(found.sentence ==
        "rank 0 has made 3 calls, all others 2: either it has called allreduce "
        "of 2 float32 with sum once too often, or they have not called it "
        "yet");
  job.ranks[0].calls[2].kind.count = 3;
  CHECK(diagnose(job).culprits == std::vector<int>{1, 2});
}

TEST_CASE("a rank of which nothing is known is to be looked for elsewhere") {
  JobPicture job = thirdIsLate();
  job.ranks[2] = {};
  const Diagnosis found = diagnose(job);
  CHECK(found.cause == Cause::unseen);
  CHECK(found.culprits == std::vector<int>{2});
  // Other ranks have reported how many calls it has made.
  job.ranks[2].known = true;
  job.ranks[2].seen = false;
  job.ranks[2].collectives = 2;
  CHECK(diagnose(job).cause == Cause::behind);
  CHECK(diagnose(job).culprits == std::vector<int>{2});
  job.ranks[2].collectives = 3;
  CHECK(diagnose(job).cause == Cause::unseen);
  CHECK(diagnose(job).culprits == std::vector<int>{2});
}

TEST_CASE("messages that nobody answers") {
  JobPicture job = thirdIsLate();
  for (RankPicture &rank : job.ranks) {
    rank.calls.resize(2);
    rank.collectives = 2;
    rank.waits.clear();
  }
  CHECK(diagnose(job).cause == Cause::none);
  CHECK(diagnose(job).sentence.empty());
  CallPicture message = callOf(Collective::sendrecv, 1, 5, false);
  message.peer = 1;
  job.ranks[0].sent.push_back(message);
  WaitPicture wait;
  wait.message = true;
  wait.call = 1;
  wait.peer = 1;
  wait.reading = true;
  job.ranks[0].waits.push_back(wait);
  CHECK(diagnose(job).sentence ==
        "rank 1 is in no call, and rank 0 waits for it in a message of 5 "
        "float32 from rank 1");
  // Rank 1 also waits for rank 0.
  message.peer = 0;
  job.ranks[1].sent.push_back(message);
  wait.peer = 0;
  job.ranks[1].waits.push_back(wait);
  const Diagnosis found = diagnose(job);
  CHECK(found.cause == Cause::circle);
  CHECK(found.culprits == std::vector<int>{0, 1});
  CHECK(found.sentence == "rank 0 waits for rank 1, which waits for rank 0: "
                          "none of them can go on");
}

TEST_CASE("calls that GPUs have been given, and have not begun") {
  JobPicture job = thirdIsLate();
  CallPicture next = callOf(Collective::allreduce, 9, 5, false);
  next.started = 0;
  job.ranks[2].launched.push_back(next);
  Diagnosis found = diagnose(job);
  CHECK(found.cause == Cause::queued);
  CHECK(found.culprits == std::vector<int>{2});
  // A rank that has not called is blamed before one that has.
  job.ranks[1] = job.ranks[2];
  job.ranks[1].launched.clear();
  found = diagnose(job);
  CHECK(found.cause == Cause::behind);
  CHECK(found.culprits == std::vector<int>{1});
}
