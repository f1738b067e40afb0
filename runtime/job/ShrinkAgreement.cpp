//===- ShrinkAgreement.cpp - the ranks that remain agree ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/ShrinkAgreement.h"

#include "runtime/core/Memory.h"
#include "runtime/job/Backoff.h"
#include "schedules/Hash.h"
#include "schedules/Text.h"

#include <algorithm>
#include <cstring>

namespace blink::runtime {
namespace {

// ShrinkRecord::proposal.
constexpr unsigned kAttemptShift = 50;
constexpr uint64_t kDiffers = uint64_t(1) << 49, kIn = uint64_t(1) << 48;
constexpr uint64_t kHashMask = kIn - 1;
constexpr uint64_t kMostAttempts = 0x3fff; // then from 1 again

uint64_t attemptOf(uint64_t proposal) { return proposal >> kAttemptShift; }
bool isIn(uint64_t proposal) { return proposal & kIn; }
bool hasDiffered(uint64_t proposal) { return proposal & kDiffers; }
uint64_t hashOf(uint64_t proposal) { return proposal & kHashMask; }

// ShrinkRecord::ready.
constexpr unsigned kReadyShift = 33;
constexpr uint64_t kFailed = uint64_t(1) << 32, kCountMask = kFailed - 1;

bool change(uint64_t &word, uint64_t &expected, uint64_t value) {
  return __atomic_compare_exchange_n(&word, &expected, value, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

template <size_t N> void storeText(uint64_t (&words)[N], const char *text) {
  char bytes[sizeof(words)] = {};
  std::strncpy(bytes, text, sizeof(bytes) - 1);
  uint64_t copy[N];
  std::memcpy(copy, bytes, sizeof(bytes));
  for (size_t i = 0; i < N; ++i)
    storeRelease(&words[i], copy[i]);
}

} // namespace

ShrinkAgreement::ShrinkAgreement(Job &job, std::vector<int> self,
                                 std::vector<int> excluded,
                                 std::string withoutLink,
                                 std::chrono::milliseconds timeout)
    : job_(job), self_(std::move(self)), excluded_(std::move(excluded)),
      withoutLink_(std::move(withoutLink)), timeout_(timeout),
      deadline_(std::chrono::steady_clock::now() + timeout) {
  for (int rank = 0; rank < job.numRanks(); ++rank)
    if (!std::binary_search(excluded_.begin(), excluded_.end(), rank))
      remaining_.push_back(rank);
  hash_ = sched::hash64(remaining_.data(),
                        remaining_.size() * sizeof(remaining_[0]));
  hash_ = sched::hash64(withoutLink_.data(), withoutLink_.size(), hash_);
  hash_ = (hash_ ^ hash_ >> 48) & kHashMask;
}

ShrinkAgreement::~ShrinkAgreement() {
  if (ready_)
    giveUpReady();
  withdraw(differs_ ? kDiffers : 0);
}

bool ShrinkAgreement::isLate() const {
  return std::chrono::steady_clock::now() > deadline_;
}

bool ShrinkAgreement::isSelf(int rank) const {
  return std::binary_search(self_.begin(), self_.end(), rank);
}

uint64_t ShrinkAgreement::load(int rank) const {
  return loadAcquire(&record(rank).proposal);
}

uint64_t ShrinkAgreement::attempt() const { return attemptOf(seen_.front()); }

//===-- Agreeing ----------------------------------------------------------===//

void ShrinkAgreement::propose() {
  // Before the others can see this attempt: what they propose next is about it.
  for (int rank : remaining_)
    before_.push_back(load(rank));
  {
    Job::Agreements &agreed = job_.agreements();
    std::lock_guard<std::mutex> lock(agreed.mutex);
    for (int rank : remaining_)
      over_.push_back(agreed.of[self_.front()][rank]);
  }
  seen_.resize(remaining_.size());
  for (size_t i = 0; i < remaining_.size(); ++i) {
    if (!isSelf(remaining_[i]))
      continue;
    ShrinkRecord &own = record(remaining_[i]);
    const uint64_t attempt = attemptOf(own.proposal) % kMostAttempts + 1;
    // Releases from here on: a rank that reads a word of the new text sees at
    // least that it changes (request).
    storeRelaxed(&own.described, 0);
    storeRelease(&own.numExcluded, excluded_.size());
    for (size_t w = 0; w < std::size(own.excluded); ++w) {
      uint64_t word = 0;
      for (size_t k = 4 * w; k < 4 * w + 4 && k < excluded_.size(); ++k)
        word |= uint64_t(uint16_t(excluded_[k])) << 16 * (k % 4);
      storeRelease(&own.excluded[w], word);
    }
    storeText(own.link, withoutLink_.c_str());
    storeRelease(&own.described, attempt);
    storeRelaxed(&own.published, 0);
    storeRelease(&own.ready, attempt << kReadyShift);
    seen_[i] = attempt << kAttemptShift | kIn | hash_;
    storeRelease(&own.proposal, seen_[i]);
  }
  proposed_ = true;
}

void ShrinkAgreement::withdraw(uint64_t mark) {
  if (!proposed_)
    return;
  for (int rank : self_)
    storeRelease(&record(rank).proposal, (record(rank).proposal & ~kIn) | mark);
  proposed_ = false;
}

std::string ShrinkAgreement::list(const std::vector<int> &ranks) {
  std::string text = ranks.empty()       ? "no rank"
                     : ranks.size() == 1 ? "rank "
                                         : "ranks ";
  return text + joined(ranks);
}

/// "rank 1 excludes ranks 2,3 without link gpu0:gpu3" in this shrink of its;
/// "" if the record is of another one, or changes.
std::string ShrinkAgreement::request(int rank, uint64_t attempt) const {
  const ShrinkRecord &other = record(rank);
  if (loadAcquire(&other.described) != attempt)
    return "";
  const size_t count = loadAcquire(&other.numExcluded);
  std::vector<int> ranks;
  for (size_t k = 0; k < count && k < 4 * std::size(other.excluded); ++k)
    ranks.push_back(
        uint16_t(loadAcquire(&other.excluded[k / 4]) >> 16 * (k % 4)));
  uint64_t words[std::size(decltype(other.link){})];
  for (size_t w = 0; w < std::size(words); ++w)
    words[w] = loadAcquire(&other.link[w]);
  if (loadRelaxed(&other.described) != attempt)
    return ""; // and some of the words may be newer
  char link[sizeof(words)];
  std::memcpy(link, words, sizeof(link));
  link[sizeof(link) - 1] = '\0';
  return textOf("rank ", rank, " excludes ", list(ranks),
                ranks.size() < count ? ",..." : "",
                link[0] ? std::string(" without link ") + link : "");
}

/// A rank that asks for something else; success if there is none.
/// `before`: or did so before this attempt began.
Status ShrinkAgreement::differing(bool before) const {
  for (size_t i = 0; i < remaining_.size(); ++i) {
    const uint64_t proposal = load(remaining_[i]);
    // If it began first, it looks at what we say, and tells both of us, unless
    // its attempt is about to fail anyway.
    const bool isNew = attemptOf(proposal) != attemptOf(before_[i]);
    const bool counts = (isIn(proposal) && isNew) ||
                        (hasDiffered(proposal) && proposal != before_[i]) ||
                        before;
    if (!counts || attemptOf(proposal) == 0 || hashOf(proposal) == hash_)
      continue;
    // A rank that asks for something else by now is looked at when it has said
    // so.
    const std::string other = request(remaining_[i], attemptOf(proposal));
    if (!other.empty())
      return {blinkInvalidUsage,
              "the ranks shrink the communicator differently: " +
                  request(self_.front(), attemptOf(load(self_.front()))) +
                  ", " + other};
  }
  return {};
}

Status ShrinkAgreement::agree() {
  for (Backoff backoff(true);; backoff.wait()) {
    std::vector<int> missing;
    for (size_t i = 0; i < remaining_.size(); ++i) {
      const uint64_t proposal = load(remaining_[i]);
      if (isIn(proposal) && hashOf(proposal) == hash_ && proposal != over_[i])
        seen_[i] = proposal;
      else
        missing.push_back(remaining_[i]);
    }
    if (missing.empty()) {
      Job::Agreements &agreed = job_.agreements();
      std::lock_guard<std::mutex> lock(agreed.mutex);
      for (int own : self_)
        for (size_t i = 0; i < remaining_.size(); ++i)
          agreed.of[own][remaining_[i]] = seen_[i];
      return {};
    }
    Status wrong = differing(backoff.sleeping() && isLate());
    if (wrong.ok() && !backoff.sleeping())
      continue;
    // A rank that has heard of a death asks for less already.
    Status status = dead();
    if (status.ok() && !wrong.ok()) {
      differs_ = true;
      status = wrong;
    }
    if (status.ok() && isLate())
      status = Status(blinkRemoteError, "rank ", self_.front(), " waited ",
                      timeout_.count(), " ms for ", list(missing),
                      " to shrink the communicator, too");
    if (!status.ok())
      return status;
  }
}

//===-- Staying together --------------------------------------------------===//

Status ShrinkAgreement::gaveUp(int rank) {
  return Status(blinkRemoteError, "rank ", rank,
                " gave up shrinking the communicator: its own error says why");
}

/// Of the ranks that remain, one that cannot come any more.
Status ShrinkAgreement::dead() const {
  for (int rank : remaining_) {
    Status status = isSelf(rank) ? Status() : job_.peerFailure(rank);
    if (!status.ok()) {
      status.text += ": exclude it, too";
      return status;
    }
  }
  return {};
}

Status ShrinkAgreement::failure() const {
  // Before looking which ranks are dead: a rank may give up over a dead one.
  Status left;
  for (size_t i = 0; i < remaining_.size() && left.ok(); ++i)
    if (load(remaining_[i]) != seen_[i])
      left = gaveUp(remaining_[i]);
  Status status = dead();
  if (!left.ok())
    return status.ok() ? left : status;
  if (status.ok() && isLate())
    return Status(blinkRemoteError, "rank ", self_.front(), " waited ",
                  timeout_.count(),
                  " ms for the others to make the new "
                  "communicator");
  return status;
}

void ShrinkAgreement::publish(const blinkUniqueId &id) {
  uint64_t words[std::size(decltype(ShrinkRecord::id){})];
  static_assert(sizeof(words) == sizeof(id));
  std::memcpy(words, &id, sizeof(id));
  for (size_t w = 0; w < std::size(words); ++w)
    storeRelaxed(&leader().id[w], words[w]);
  storeRelease(&leader().published, attempt());
}

Status ShrinkAgreement::receive(blinkUniqueId &id) const {
  for (Backoff backoff(true); loadAcquire(&leader().published) != attempt();
       backoff.wait())
    if (Status status = backoff.sleeping() ? failure() : Status(); !status.ok())
      return status;
  // Should the leader publish another one meanwhile, joining fails.
  uint64_t words[std::size(decltype(ShrinkRecord::id){})];
  for (size_t w = 0; w < std::size(words); ++w)
    words[w] = loadRelaxed(&leader().id[w]);
  std::memcpy(&id, words, sizeof(id));
  return {};
}

//===-- All or none -------------------------------------------------------===//

/// Whether the attempt can still succeed as far as `ready` tells.
bool ShrinkAgreement::isOn(uint64_t ready) const {
  return ready >> kReadyShift == attempt() && !(ready & kFailed);
}

/// Takes this rank's being ready back, which fails the attempt; false if all
/// were ready before.
bool ShrinkAgreement::giveUpReady() {
  uint64_t &word = leader().ready;
  uint64_t ready = loadAcquire(&word);
  do {
    if (!isOn(ready))
      break;
    if ((ready & kCountMask) == remaining_.size())
      return false;
  } while (!change(word, ready, ready | kFailed));
  ready_ = false;
  return true;
}

Status ShrinkAgreement::finish() {
  uint64_t &word = leader().ready;
  uint64_t ready = loadAcquire(&word);
  do {
    if (!isOn(ready)) {
      Status status = failure();
      return status.ok() ? gaveUp(remaining_.front()) : status;
    }
  } while (!change(word, ready, ready + self_.size()));
  ready_ = true;
  for (Backoff backoff(true);; backoff.wait()) {
    ready = loadAcquire(&word);
    if (isOn(ready) && (ready & kCountMask) == remaining_.size())
      break;
    Status status;
    if (!isOn(ready) || backoff.sleeping())
      status = failure();
    if (!isOn(ready) && status.ok())
      status = {blinkRemoteError,
                "another rank gave up shrinking the communicator"};
    if (!status.ok() && giveUpReady())
      return status;
  }
  ready_ = false;
  withdraw(0);
  // The leader's next attempt uses the same word: not before all have read it.
  for (size_t i = 0; i < remaining_.size() && leads(); ++i)
    for (Backoff backoff(true);
         !isSelf(remaining_[i]) && load(remaining_[i]) == seen_[i] &&
         job_.peerFailure(remaining_[i]).ok() && !isLate();
         backoff.wait())
      ;
  return {};
}

} // namespace blink::runtime
