//===- ShrinkAgreement.h - the ranks that remain agree ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The remaining ranks of a job that goes on without some others find each other
// in the old job's memory. No process needs to be alive for that but their own,
// not even the one that made the unique id. An excluded rank sees the memory,
// but no rank that asks for another list counts it in. A process that was never
// part of the job does not have this memory.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_SHRINKAGREEMENT_H
#define BLINK_RUNTIME_JOB_SHRINKAGREEMENT_H

#include "runtime/job/Job.h"

#include <string>
#include <vector>

namespace blink::runtime {

/// One attempt to shrink, by the ranks for which one thread answers. While the
/// thread makes the new job, the attempt is in the state `agreed`:
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
/// in all of them but `silent`. A rank that gives up anywhere (by the
/// destructor, too) ends the attempt for all ranks that have agreed with it,
/// and all may try again. Ranks may have made different numbers of attempts. A
/// rank therefore compares another rank's attempt number only with that rank's
/// number at the time when its own attempt began.
///
/// A rank that had agreed and tries again assumes that the attempts of the
/// others, with which it had agreed, are over, too: they will notice that it
/// gave up. But a rank that had not agreed yet goes on with its attempt, and
/// agrees with the new one. Each rank therefore publishes with what it has
/// agreed; if that is what all propose now, its attempt is not over. No cycle
/// of waiting arises, because an attempt can be over only for a rank whose own
/// attempt began later.
///
/// finish() returns the same on all of them, by a two-phase commit: the leader
/// decides, either that all are ready or to give up, and a rank that is ready
/// waits until it hears the decision or sees the leader die. In the latter
/// case:
/// - On the leader's server the decision is in the shared memory, or was never
///   made.
/// - A rank of another server publishes what it has heard, listens to the
///   leader no more, and waits until all others have done the same, or until
///   one of them says that it has heard of success.
///
/// The results of the ranks differ in two cases only, which no protocol can
/// rule out: the leader and all ranks that have heard of its success are lost
/// before they tell the rest, or cannot reach the rest (docs/runtime.md); and
/// the leader is stopped between looking at the last vote and deciding, for
/// longer than the others wait.
class ShrinkAgreement {
public:
  /// `self`: the ranks of this thread. `excluded`: ascending, none of them in
  /// `self`.
  ShrinkAgreement(Job &job, std::vector<int> self, std::vector<int> excluded,
                  std::string withoutLink, std::chrono::milliseconds timeout);
  ~ShrinkAgreement();
  ShrinkAgreement(const ShrinkAgreement &) = delete;

  /// The ranks that remain, ascending; the first one is the leader.
  const std::vector<int> &remaining() const { return remaining_; }
  bool isLate() const; ///< whether the time is up
  bool leads() const { return self_.front() == remaining_.front(); }
  /// The number of the leader's attempt. The leader knows it at once, the
  /// others when all have agreed.
  uint64_t attempt() const;

  /// Publishes what this rank asks for.
  void propose();
  /// Waits until all remaining ranks ask for the same. Errors: a rank asks for
  /// something else, has died or left, or does not come in time.
  Status agree();
  /// After agree(): returns success, or why the attempt has failed: a rank has
  /// died, left or given up, or the time is up.
  Status failure() const;
  /// Called by the leader: publishes its id for the new job.
  void publish(const blinkUniqueId &id);
  /// Waits for the leader's id. Errors: as failure().
  Status receive(blinkUniqueId &id) const;
  /// Publishes that this rank is ready, and waits until all are. Errors: as
  /// failure(); also if the leader has not decided one timeout after the
  /// deadline.
  Status finish();

  /// "ranks 2,3", or "no rank".
  static std::string list(const std::vector<int> &ranks);

private:
  ShrinkRecord &record(int rank) const { return job_.shrinkRecord(rank); }
  ShrinkRecord &leader() const { return record(remaining_.front()); }
  uint64_t load(int rank) const; ///< last proposal of `rank`
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
  /// `proposal` of each of remaining_, when this attempt began and when they
  /// agreed, or 0.
  std::vector<uint64_t> before_, seen_;
  bool proposed_ = false, differs_ = false;
  /// `proposal` of each of remaining_ with which this rank agreed in an earlier
  /// attempt, or 0.
  std::vector<uint64_t> over_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_SHRINKAGREEMENT_H
