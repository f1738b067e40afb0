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

// Fields of ShrinkRecord::proposal.
constexpr unsigned kAttemptShift = 50;
constexpr uint64_t kDiffers = uint64_t(1) << 49, kIn = uint64_t(1) << 48;
constexpr uint64_t kHashMask = kIn - 1;
constexpr uint64_t kMostAttempts = 0x3fff; // after that, from 1 again

uint64_t attemptOf(uint64_t proposal) { return proposal >> kAttemptShift; }
bool isIn(uint64_t proposal) { return proposal & kIn; }
bool hasDiffered(uint64_t proposal) { return proposal & kDiffers; }
uint64_t hashOf(uint64_t proposal) { return proposal & kHashMask; }

// Fields of ShrinkRecord::ready.
constexpr unsigned kLeaderShift = 15, kOwnShift = 1;
constexpr uint64_t kAlone = 1;

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

ShrinkAgreement::~ShrinkAgreement() { withdraw(differs_ ? kDiffers : 0); }

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
  // Loaded before the others can see this attempt: whatever they propose from
  // then on is about it.
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
    // From here on the stores are releases: a rank that reads a word of the new
    // text also sees at least that `described` has changed, so it does not use
    // the text (see request()).
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
    storeRelaxed(&own.ready, 0);
    seen_[i] = attempt << kAttemptShift | kIn | hash_;
    // Release: publishes all of the above.
    job_.publish(&own.proposal, seen_[i]);
  }
  proposed_ = true;
}

void ShrinkAgreement::withdraw(uint64_t mark) {
  if (!proposed_)
    return;
  // Release: publishes what was decided.
  for (int rank : self_)
    job_.publish(&record(rank).proposal, (record(rank).proposal & ~kIn) | mark);
  proposed_ = false;
}

std::string ShrinkAgreement::list(const std::vector<int> &ranks) {
  std::string text = ranks.empty()       ? "no rank"
                     : ranks.size() == 1 ? "rank "
                                         : "ranks ";
  return text + joined(ranks);
}

/// Returns "rank 1 excludes ranks 2,3 without link gpu0:gpu3", what `rank` asks
/// for in its shrink number `attempt`; "" if the record is of another shrink,
/// or is being changed.
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

/// Returns an error that names a rank that asks for something else; success if
/// there is none. Ranks count that have said so since this attempt began; with
/// `before`, also ranks that said so earlier.
Status ShrinkAgreement::differing(bool before) const {
  for (size_t i = 0; i < remaining_.size(); ++i) {
    const uint64_t proposal = load(remaining_[i]);
    // If the other rank's attempt began before this one, that rank looks at
    // this rank's proposal, and reports the difference to both of us, unless
    // its attempt is about to fail anyway.
    const bool isNew = attemptOf(proposal) != attemptOf(before_[i]);
    const bool counts = (isIn(proposal) && isNew) ||
                        (hasDiffered(proposal) && proposal != before_[i]) ||
                        before;
    if (!counts || attemptOf(proposal) == 0 || hashOf(proposal) == hash_)
      continue;
    // If the record has changed meanwhile, the rank is looked at again when it
    // has published its new proposal.
    const std::string other = request(remaining_[i], attemptOf(proposal));
    if (!other.empty())
      return {blinkInvalidUsage,
              "the ranks shrink the communicator differently: " +
                  request(self_.front(), attemptOf(load(self_.front()))) +
                  ", " + other};
  }
  return {};
}

/// Loads into seen_ what the remaining ranks propose. Returns those that do not
/// ask for the same, or no longer do.
std::vector<int> ShrinkAgreement::missing() {
  std::vector<int> ranks;
  for (size_t i = 0; i < remaining_.size(); ++i) {
    seen_[i] = load(remaining_[i]);
    if (!isIn(seen_[i]) || hashOf(seen_[i]) != hash_)
      ranks.push_back(remaining_[i]);
  }
  if (!ranks.empty())
    return ranks;
  for (size_t i = 0; i < remaining_.size(); ++i)
    // Both loads are acquires, the one of the proposal first: `agreed` is
    // therefore of the same attempt at least.
    if (seen_[i] == over_[i] &&
        loadAcquire(&record(remaining_[i]).agreed) != hashOfSeen())
      ranks.push_back(remaining_[i]);
  return ranks;
}

uint64_t ShrinkAgreement::hashOfSeen() const {
  return sched::hash64(seen_.data(), seen_.size() * sizeof(seen_[0]));
}

void ShrinkAgreement::noteAgreed() {
  for (int own : self_)
    job_.publish(&record(own).agreed, hashOfSeen());
  Job::Agreements &agreed = job_.agreements();
  std::lock_guard<std::mutex> lock(agreed.mutex);
  for (int own : self_)
    for (size_t i = 0; i < remaining_.size(); ++i)
      agreed.of[own][remaining_[i]] = seen_[i];
}

Status ShrinkAgreement::agree() {
  for (Backoff backoff(true);; backoff.wait()) {
    const std::vector<int> missing = this->missing();
    if (missing.empty()) {
      noteAgreed();
      return {};
    }
    Status wrong = differing(backoff.sleeping() && isLate());
    if (wrong.ok() && !backoff.sleeping())
      continue;
    // A death is the better explanation: a rank that has heard of it already
    // asks for fewer ranks.
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

/// Returns why one of the remaining ranks cannot come any more; success if all
/// can.
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
  // Loaded before looking which ranks are dead: a rank may give up because of a
  // dead one, and then the death is reported.
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
  job_.publish(&leader().published, attempt()); // release: publishes the id
}

Status ShrinkAgreement::receive(blinkUniqueId &id) const {
  for (Backoff backoff(true); loadAcquire(&leader().published) != attempt();
       backoff.wait())
    if (Status status = backoff.sleeping() ? failure() : Status(); !status.ok())
      return status;
  // If the leader publishes another id while this loop reads, joining fails.
  uint64_t words[std::size(decltype(ShrinkRecord::id){})];
  for (size_t w = 0; w < std::size(words); ++w)
    words[w] = loadRelaxed(&leader().id[w]);
  std::memcpy(&id, words, sizeof(id));
  return {};
}

//===-- All or none -------------------------------------------------------===//

/// The value of ShrinkRecord::ready of remaining rank `i` if it is ready in
/// this attempt.
uint64_t ShrinkAgreement::vote(size_t i) const {
  return attempt() << kLeaderShift | attemptOf(seen_[i]) << kOwnShift;
}

bool ShrinkAgreement::hasSucceeded(size_t i) const {
  return loadAcquire(&record(remaining_[i]).succeeded) == attemptOf(seen_[i]);
}

/// Returns true if remaining rank `i` has finished this attempt. load() is an
/// acquire, so hasSucceeded() then tells how it ended.
bool ShrinkAgreement::ended(size_t i) const {
  return load(remaining_[i]) != seen_[i];
}

void ShrinkAgreement::tellSuccess() {
  for (size_t i = 0; i < remaining_.size(); ++i)
    if (isSelf(remaining_[i]))
      job_.publish(&record(remaining_[i]).succeeded, attemptOf(seen_[i]));
  withdraw(0);
}

Status ShrinkAgreement::finish() {
  for (size_t i = 0; i < remaining_.size(); ++i)
    if (isSelf(remaining_[i]))
      job_.publish(&record(remaining_[i]).ready, vote(i));
  return leads() ? lead() : follow();
}

/// Decides. The other ranks learn of the result in any case: of an error, by
/// withdraw().
Status ShrinkAgreement::lead() {
  for (Backoff backoff(true);; backoff.wait()) {
    // A rank that is ready stays in the attempt until this rank has decided, or
    // has been stopped for a long time.
    size_t ready = 0;
    while (ready < remaining_.size() &&
           loadAcquire(&record(remaining_[ready]).ready) == vote(ready) &&
           !ended(ready))
      ++ready;
    if (ready == remaining_.size())
      break;
    Status status = backoff.sleeping() ? failure() : Status();
    if (!status.ok())
      return status;
  }
  tellSuccess();
  // The next attempt uses the same words, so wait until all ranks have read
  // them.
  for (size_t i = 0; i < remaining_.size(); ++i)
    for (Backoff backoff(true);
         !isSelf(remaining_[i]) && !ended(i) &&
         job_.peerFailure(remaining_[i]).ok() && !isLate();
         backoff.wait())
      ;
  return {};
}

Status ShrinkAgreement::follow() {
  Status why; // the first reason to give up
  for (Backoff backoff(true);; backoff.wait()) {
    // Load `over` and `lost` before `succeeded`: what the leader did before it
    // was seen to have finished or to be lost is then seen, too.
    const bool over = ended(0);
    Status lost =
        backoff.sleeping() ? job_.peerFailure(remaining_.front()) : Status();
    if (hasSucceeded(0)) {
      tellSuccess();
      return {};
    }
    if (why.ok() && (over || backoff.sleeping()))
      why = failure();
    if (over)
      return why.ok() ? gaveUp(remaining_.front()) : why;
    if (!lost.ok())
      return job_.isNear(remaining_.front()) ? why : goOnAlone(why);
    // The leader gives up because of what this rank sees, and says so. A leader
    // that does not, and that no rank takes for lost, is stopped.
    if (std::chrono::steady_clock::now() > deadline_ + timeout_)
      return why.ok() ? failure() : why; // it has never slept until now
  }
}

/// For a rank on another server than the leader, when the leader is lost and
/// this rank has not heard of its decision.
Status ShrinkAgreement::goOnAlone(const Status &why) {
  for (size_t i = 0; i < remaining_.size(); ++i)
    if (isSelf(remaining_[i]))
      job_.publish(&record(remaining_[i]).ready, vote(i) | kAlone);
  for (Backoff backoff(true);; backoff.wait()) {
    bool all = true;
    for (size_t i = 1; i < remaining_.size(); ++i) {
      // In this order, as in follow().
      const bool over = ended(i);
      const bool lost =
          backoff.sleeping() && !job_.peerFailure(remaining_[i]).ok();
      const uint64_t ready = loadAcquire(&record(remaining_[i]).ready);
      if (hasSucceeded(i)) {
        tellSuccess();
        return {};
      }
      if (over)
        return why;
      all &= lost || ready == (vote(i) | kAlone);
    }
    if (all || std::chrono::steady_clock::now() > deadline_ + timeout_)
      return why;
  }
}

} // namespace blink::runtime
