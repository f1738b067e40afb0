//===- Successor.h - a job of some ranks of another -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What shrinking and splitting have in common once the ranks have agreed who
// goes on with whom.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_SUCCESSOR_H
#define BLINK_RUNTIME_JOB_SUCCESSOR_H

#include "runtime/Backend.h"

namespace blink::runtime {

/// What the new job has of its own.
struct SuccessorSettings {
  std::chrono::milliseconds timeout{0};   ///< 0: the old job's
  std::optional<std::string> withoutLink; ///< none: the old job's

  bool operator==(const SuccessorSettings &other) const {
    return timeout == other.timeout && withoutLink == other.withoutLink;
  }
};

/// A job of some ranks of another, with the programs that the other's files
/// have for their GPUs.
class Successor {
public:
  /// `ranks`: of `old`, in their new order. The first one makes what the others
  /// take.
  Successor(Backend &old, std::vector<int> ranks,
            const SuccessorSettings &settings);

  const std::vector<int> &ranks() const { return ranks_; }
  const std::string &withoutLink() const { return request_.withoutLink; }
  std::chrono::milliseconds timeout() const { return request_.timeout; }
  /// Whether each rank is in a back end of its own, and joins by an id.
  bool byId() const { return old_.origin().rank >= 0; }

  /// Errors: no program fits.
  Status checkPrograms() const;

  /// An id for the new job, good for the processes of its ranks alone.
  Status makeId(blinkUniqueId &id) const;
  /// Makes the rank that was `rank`. `ended`: as BackendRequest::peerFailure.
  Status join(const blinkUniqueId &id, int rank,
              const std::function<Status()> &ended,
              std::shared_ptr<Backend> &result) const;

  /// Where all ranks are in this process: makes them, for takeOver() with the
  /// same `attempt`, which differs from that of any other job that the first
  /// rank makes for others.
  Status makeForAll(uint64_t attempt) const;
  /// Takes what was made for `takers` ranks, or the error of making it. Nothing
  /// is taken if `status` is an error: for nobody will it be there then.
  Status takeOver(uint64_t attempt, size_t takers, Status status,
                  std::shared_ptr<Backend> &result) const;

private:
  Backend &old_;
  const std::vector<int> ranks_;
  BackendRequest request_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_SUCCESSOR_H
