//===- Successor.h - a job of some ranks of another -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What shrinking and splitting have in common, once the ranks have agreed which
// of them go on together.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_SUCCESSOR_H
#define BLINK_RUNTIME_JOB_SUCCESSOR_H

#include "runtime/Backend.h"

namespace blink::runtime {

/// Settings of the new job.
struct SuccessorSettings {
  std::chrono::milliseconds timeout{0};   ///< 0: the old job's
  std::optional<std::string> withoutLink; ///< unset: the old job's

  bool operator==(const SuccessorSettings &other) const {
    return timeout == other.timeout && withoutLink == other.withoutLink;
  }
};

/// A job of some ranks of another, with the programs that the other's files
/// have for their GPUs.
class Successor {
public:
  /// `ranks`: ranks of `old`, in their new order. The first one makes what the
  /// others take.
  Successor(Backend &old, std::vector<int> ranks,
            const SuccessorSettings &settings);

  const std::vector<int> &ranks() const { return ranks_; }
  const std::string &withoutLink() const { return request_.withoutLink; }
  std::chrono::milliseconds timeout() const { return request_.timeout; }
  /// Whether each rank is in a back end of its own, and joins by an id.
  bool byId() const { return old_.origin().rank >= 0; }

  /// Errors: no program fits.
  Status checkPrograms() const;

  /// Makes an id for the new job that only the processes of its ranks can use.
  Status makeId(blinkUniqueId &id) const;
  /// Makes the rank that had the number `rank` in `old`. `ended`: as
  /// BackendRequest::peerFailure.
  Status join(const blinkUniqueId &id, int rank,
              const std::function<Status()> &ended,
              std::shared_ptr<Backend> &result) const;

  /// If all ranks are in this process: makes them, for takeOver() with the same
  /// `attempt`. The number must differ from those of all other jobs that the
  /// first rank makes for others.
  Status makeForAll(uint64_t attempt) const;
  /// Takes what was made for `takers` ranks, or the error of making it. If
  /// `status` is an error, nothing is taken, and no other rank can take it any
  /// more. Errors: also if what was made has been replaced by that of a later
  /// attempt.
  Status takeOver(uint64_t attempt, size_t takers, Status status,
                  std::shared_ptr<Backend> &result) const;

private:
  Backend &old_;
  const std::vector<int> ranks_;
  BackendRequest request_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_SUCCESSOR_H
