//===- ShrinkAgreement.h - the ranks that remain agree ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The ranks of a job that go on without some others find each other in the old
// job's memory. That needs no process to be alive but their own, not even the
// one that made the unique id; an excluded rank sees the memory, but no rank
// that does not ask for the same list counts it in; a stranger has no such
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_SHRINKAGREEMENT_H
#define BLINK_RUNTIME_JOB_SHRINKAGREEMENT_H

#include "runtime/job/Job.h"

#include <string>
#include <vector>

namespace blink::runtime {

/// One attempt of some ranks that one thread answers for. While it makes the
/// new job it is in the state `agreed`:
///
///          propose()             agree()            finish()
///   silent --------> proposed -----------> agreed -----------> ready
///     ^                 |                     |                  |
///     |    a rank asks  |      a rank has     |    as before, or |
///     |    for another  |      given up, died |    all are ready |
///     |    list, dies,  |      or left, or    |                  |
///     |    or is late   |      is late        |                  |
///     |                 v                     v                  v
///     +------------------------- withdraw() <--------------------+
///
/// ShrinkRecord::proposal tells others of the states: it has the bit "is in it"
/// in all but `silent`. A rank that gives up anywhere (by the destructor, too)
/// ends the attempt for all ranks that have agreed with it, and all may try
/// again. Ranks may have tried differently often: an attempt counts from when
/// somebody else begins one.
///
/// Who has agreed and tries again takes the others' attempts for over, too:
/// they will hear of it. But one that had not agreed yet goes on, and agrees
/// with the new attempt. So each tells with what it has agreed, and if that is
/// what all propose now, it is not over. Nobody waits in a circle: an attempt
/// can be over only for one that has begun later.
///
/// finish() says the same to all of them, as in a commit of two phases: the
/// leader decides, that all are ready or to give up, and who is ready waits
/// until it hears which or sees the leader die. Then
/// - on the leader's server the decision is there or never was one;
/// - a rank of another server says what it has heard, listens to the leader no
///   more, and waits for the others to say the same, or one that it has heard.
/// So they differ in two cases only, of which nobody can do away with either:
/// the leader and all who have heard of its success are lost before they tell
/// the rest, or cannot reach them (docs/runtime.md); and the leader is stopped
/// between looking at the last vote and deciding, for longer than others wait.
class ShrinkAgreement {
public:
  /// `self`: the ranks of this thread. `excluded`: ascending, none of `self`.
  ShrinkAgreement(Job &job, std::vector<int> self, std::vector<int> excluded,
                  std::string withoutLink, std::chrono::milliseconds timeout);
  ~ShrinkAgreement();
  ShrinkAgreement(const ShrinkAgreement &) = delete;

  /// The ranks that remain, ascending; the first one leads.
  const std::vector<int> &remaining() const { return remaining_; }
  bool isLate() const; ///< the time is up
  bool leads() const { return self_.front() == remaining_.front(); }
  /// The leader's attempt; the leader knows it at once, the others when all
  /// have agreed.
  uint64_t attempt() const;

  /// Tells the others what this rank asks for.
  void propose();
  /// Waits until all ranks that remain ask for the same. Errors: one asks for
  /// something else, has died or left, or does not come in time.
  Status agree();
  /// After agree(): success, or why the attempt has failed: a rank has died,
  /// left or given up, or the time is up.
  Status failure() const;
  /// The leader's id for the new job.
  void publish(const blinkUniqueId &id);
  /// Waits for it. Errors: as failure().
  Status receive(blinkUniqueId &id) const;
  /// This rank is ready; waits until all are. Errors: as failure(), and when
  /// the leader has not decided one timeout later.
  Status finish();

  /// "ranks 2,3", or "no rank".
  static std::string list(const std::vector<int> &ranks);

private:
  ShrinkRecord &record(int rank) const { return job_.shrinkRecord(rank); }
  ShrinkRecord &leader() const { return record(remaining_.front()); }
  uint64_t load(int rank) const; ///< its last proposal
  bool isSelf(int rank) const;
  std::string request(int rank, uint64_t attempt) const;
  Status differing(bool before) const;
  std::vector<int> missing();
  uint64_t hashOfSeen() const;
  void noteAgreed();
  Status dead() const;
  static Status gaveUp(int rank);
  uint64_t vote(size_t i) const;
  bool hasSucceeded(size_t i) const;
  bool ended(size_t i) const;
  void tellSuccess();
  Status lead();
  Status follow();
  Status goOnAlone(const Status &why);
  void withdraw(uint64_t mark);

  Job &job_;
  const std::vector<int> self_, excluded_;
  const std::string withoutLink_;
  const std::chrono::milliseconds timeout_;
  const std::chrono::steady_clock::time_point deadline_;
  std::vector<int> remaining_;
  uint64_t hash_ = 0;
  /// `proposal` of remaining_ when this attempt began, and when they agreed, or
  /// 0.
  std::vector<uint64_t> before_, seen_;
  bool proposed_ = false, differs_ = false;
  /// `proposal` of remaining_ that this rank agreed with in an attempt before,
  /// or 0.
  std::vector<uint64_t> over_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_SHRINKAGREEMENT_H
