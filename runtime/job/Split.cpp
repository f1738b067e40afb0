//===- Split.cpp - dividing a job by colours ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The ranks meet in the old job's memory: each publishes its colour and key,
// and when all have done so, each knows which ranks are with it. The first rank
// of a colour makes the new job, or an id for it.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Split.h"

#include "runtime/Log.h"
#include "runtime/core/Memory.h"
#include "runtime/job/Backoff.h"
#include "runtime/job/Rendezvous.h"
#include "schedules/Hash.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <tuple>

namespace blink::runtime {
namespace {

using Clock = std::chrono::steady_clock;

uint64_t hashOf(const std::string &link) {
  return sched::hash64(link.data(), link.size());
}

/// The ranks of one colour, as this thread sees them.
struct Part {
  Successor next;
  std::vector<SplitRank *> self;
  Status status;

  bool leads() const {
    return std::any_of(self.begin(), self.end(), [&](const SplitRank *own) {
      return own->rank == next.ranks().front();
    });
  }
};

class Splitting {
public:
  Splitting(Backend &old, const std::vector<SplitRank *> &self)
      : old_(old), job_(old.job()), self_(self),
        number_(job_.peer(self[0]->rank).splits + 1) {}

  void run();

private:
  SplitTurn &turn(int rank) const {
    return job_.splitRecord(rank).turns[number_ % 2];
  }
  /// As for Successor::makeForAll. Attempts of shrinks are smaller numbers.
  uint64_t attempt() const { return uint64_t(1) << 32 | number_; }

  Status tellColors() const;
  void findParts();
  Status check(const Part &part) const;
  void lead(Part &part) const;
  void follow(Part &part) const;
  Status waitForLeader(const Part &part) const;
  Status ended(const Part &part) const;

  Backend &old_;
  Job &job_;
  const std::vector<SplitRank *> &self_;
  const uint64_t number_; ///< of this split, counted from 1
  std::deque<Part> parts_;
};

/// Publishes the colours of this thread's ranks, and waits until all ranks have
/// published theirs. Errors: as Job::waitForAll; the old job has failed.
Status Splitting::tellColors() const {
  if (Status why = old_.failure(); !why.ok())
    return why;
  for (const SplitRank *own : self_)
    if (job_.peer(own->rank).splits + 1 != number_)
      return Status(blinkInvalidUsage, "rank ", own->rank,
                    " has split the communicator less or more often than rank ",
                    self_[0]->rank);
  for (const SplitRank *own : self_) {
    SplitTurn &turn = this->turn(own->rank);
    const std::string link =
        own->settings.withoutLink.value_or(old_.plan().gpus.withoutLink);
    storeRelaxed(&turn.color, uint64_t(int64_t(own->color)));
    storeRelaxed(&turn.key, uint64_t(int64_t(own->key)));
    storeRelaxed(&turn.link, hashOf(link));
    // Release: publishes those words.
    job_.publish(&job_.peer(own->rank).splits, number_);
  }
  const Status status = job_.waitForAll(self_[0]->rank, &PeerRecord::splits,
                                        number_, "split the communicator, too",
                                        Clock::now() + job_.timeout());
  if (status.ok())
    return status;
  const Status why = old_.failure(); // a lane may have found the reason
  return why.ok() ? status : why;
}

void Splitting::findParts() {
  for (SplitRank *own : self_) {
    if (own->color == BLINK_SPLIT_NOCOLOR)
      continue;
    std::vector<std::tuple<int64_t, int>> members; // key, rank
    for (int rank = 0; rank < job_.numRanks(); ++rank)
      if (int64_t(loadRelaxed(&turn(rank).color)) == own->color)
        members.emplace_back(int64_t(loadRelaxed(&turn(rank).key)), rank);
    std::sort(members.begin(), members.end());
    std::vector<int> ranks;
    for (const auto &[key, rank] : members)
      ranks.push_back(rank);
    own->newRank =
        int(std::find(ranks.begin(), ranks.end(), own->rank) - ranks.begin());
    auto known = std::find_if(parts_.begin(), parts_.end(), [&](Part &part) {
      return part.next.ranks() == ranks;
    });
    if (known != parts_.end())
      known->self.push_back(own);
    else
      parts_.push_back({Successor(old_, ranks, own->settings), {own}, {}});
  }
}

/// Checks what all ranks of a colour find in the same way.
Status Splitting::check(const Part &part) const {
  const int first = part.next.ranks().front();
  for (int rank : part.next.ranks())
    if (loadRelaxed(&turn(rank).link) != loadRelaxed(&turn(first).link))
      return Status(blinkInvalidUsage, "rank ", first, " and rank ", rank,
                    " have one colour and name different failed links");
  return part.next.checkPrograms();
}

/// Makes the job, or an id for it, and publishes the result.
void Splitting::lead(Part &part) const {
  SplitTurn &own = turn(part.next.ranks().front());
  if (part.next.byId()) {
    blinkUniqueId id;
    part.status = part.next.makeId(id);
    if (part.status.ok()) {
      uint64_t words[std::size(decltype(own.id){})];
      static_assert(sizeof(words) == sizeof(id));
      std::memcpy(words, &id, sizeof(id));
      for (size_t w = 0; w < std::size(words); ++w)
        storeRelaxed(&own.id[w], words[w]);
    }
  } else {
    part.status = part.next.makeForAll(attempt());
  }
  // Release: publishes the id, or what was made.
  job_.publish(&own.published,
               number_ | (part.status.ok() ? 0 : SplitTurn::kNone));
}

/// Returns why there is no point in waiting for the ranks of a colour any more,
/// or success. A rank that has left is no reason: it has done its part.
Status Splitting::ended(const Part &part) const {
  for (int rank : part.next.ranks())
    if (job_.died(rank))
      return job_.peerFailure(rank);
  return job_.failed() ? old_.failure() : Status();
}

Status Splitting::waitForLeader(const Part &part) const {
  const int leader = part.next.ranks().front();
  const Clock::time_point deadline = Clock::now() + part.next.timeout();
  for (Backoff backoff(true);; backoff.wait()) {
    const uint64_t published = loadAcquire(&turn(leader).published);
    if ((published & ~SplitTurn::kNone) == number_) {
      if (published & SplitTurn::kNone)
        return Status(blinkRemoteError, "rank ", leader,
                      " could not split the communicator: its own error says "
                      "why");
      return {};
    }
    if (!backoff.sleeping())
      continue;
    if (Status why = ended(part); !why.ok())
      return why;
    if (Clock::now() > deadline)
      return Status(blinkRemoteError, "rank ", part.self[0]->rank, " waited ",
                    part.next.timeout().count(), " ms for rank ", leader,
                    " to make the new communicator");
  }
}

void Splitting::follow(Part &part) const {
  std::shared_ptr<Backend> made;
  if (part.status.ok())
    part.status = waitForLeader(part);
  if (!part.next.byId()) {
    part.status =
        part.next.takeOver(attempt(), part.self.size(), part.status, made);
  } else if (part.status.ok()) {
    const SplitTurn &leader = turn(part.next.ranks().front());
    uint64_t words[std::size(decltype(leader.id){})];
    for (size_t w = 0; w < std::size(words); ++w)
      words[w] = loadRelaxed(&leader.id[w]);
    blinkUniqueId id;
    std::memcpy(&id, words, sizeof(id));
    part.status = part.next.join(
        id, part.self[0]->rank, [&] { return ended(part); }, made);
  }
  for (SplitRank *own : part.self)
    own->backend = made;
}

void Splitting::run() {
  const Status told = tellColors();
  for (SplitRank *own : self_)
    own->status = told;
  if (!told.ok())
    return;
  findParts();
  for (Part &part : parts_)
    part.status = check(part);
  // First do everything that others wait for, then wait.
  for (Part &part : parts_)
    if (part.status.ok() && part.leads())
      lead(part);
  for (Part &part : parts_) {
    if (part.status.ok())
      follow(part);
    for (SplitRank *own : part.self)
      own->status = part.status;
  }
}

} // namespace

void split(Backend &old, const std::vector<SplitRank *> &self) {
  Splitting(old, self).run();
  for (const SplitRank *own : self)
    if (!own->status.ok())
      log(LogLevel::warn, own->rank,
          "cannot split the communicator: ", own->status.text);
    else if (own->backend)
      log(LogLevel::info, own->rank, "split, as rank ", own->newRank, " of ",
          own->backend->plan().numRanks, " with colour ", own->color);
}

} // namespace blink::runtime
