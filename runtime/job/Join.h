//===- Join.h - how a rank finds the others of its job ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_JOIN_H
#define BLINK_RUNTIME_JOB_JOIN_H

#include "runtime/job/Descriptor.h"
#include "runtime/job/Job.h"

namespace blink::runtime {

/// What a rank joins with; the same on all ranks, except for `rank` and
/// `memoryBytes`.
struct JoinRequest {
  blinkUniqueId id;
  int rank = 0;
  const std::vector<uint16_t> &serverOf; ///< of each rank
  uint64_t fingerprint = 0;              ///< of the plan
  uint64_t memoryBytes = 0;              ///< of this rank's server
  std::chrono::steady_clock::time_point deadline;
  std::function<Status()> ended{}; ///< called now and then; an error ends the
                                   ///< wait; may be empty
};

/// Joins the job and sets `memory` to what the ranks of this rank's server
/// share. If there are other servers, `job` gets a control plane. Job::begin()
/// must have been called. Errors: as joinJob and ControlPlane::join; a setting
/// is wrong.
Status joinRanks(const JoinRequest &request, Job &job, Descriptor &memory);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_JOIN_H
