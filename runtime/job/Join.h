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

/// What a rank joins with, as all ranks have it but for `rank`.
struct JoinRequest {
  blinkUniqueId id;
  int rank = 0;
  const std::vector<uint16_t> &serverOf; ///< of each rank
  uint64_t fingerprint = 0;              ///< of the plan
  uint64_t memoryBytes = 0;              ///< of this rank's server
  std::chrono::steady_clock::time_point deadline;
  std::function<Status()> ended{}; ///< an error ends it; may be empty
};

/// Joins the job: `memory` is what the ranks of this rank's server share, and
/// where there are other servers `job` has a control plane. Job::begin() has
/// been called. Errors: as joinJob and ControlPlane::join; a setting is wrong.
Status joinRanks(const JoinRequest &request, Job &job, Descriptor &memory);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_JOIN_H
