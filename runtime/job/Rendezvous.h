//===- Rendezvous.h - how processes of one host find a job ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The process that makes a unique id listens on a socket without a place in the
// file system, and hands the job's memory, which has no name either, to each
// process that proves that it has the id. So none joins or reads without it.
// Those of other hosts it tells where the job's hub is
// (control/HubDirectory.h).
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_RENDEZVOUS_H
#define BLINK_RUNTIME_JOB_RENDEZVOUS_H

#include "runtime/Status.h"
#include "runtime/job/Descriptor.h"
#include "runtime/job/control/Secret.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace blink::runtime {

/// What ranks come together for, one after the other; the first is for those
/// only that have something to tell (meet).
enum class JoinStage : uint64_t { meeting, job };

/// Which rank wants to join, and what for.
struct Applicant {
  uint32_t numRanks = 0;
  uint32_t rank = 0;
  uint64_t fingerprint = 0; ///< of the plan
  uint64_t memoryBytes = 0;
  JoinStage stage = JoinStage::job;
};

/// Why the others need not wait for `rank` any more.
inline Status couldNotJoin(int rank, const Status &why) {
  return Status(blinkRemoteError, "rank ", rank, " could not join: ", why.text);
}

/// Makes an id and answers applicants in the background, until all ranks have
/// come or `patience` is over. Where the ranks' processes are known already,
/// `processes` has their numbers and no others of this host are admitted. With
/// a `parent`, the secret of the job that the new one is made from, the id is
/// without its own (IdContent::hideSecret). Errors: system error.
Status makeUniqueId(blinkUniqueId &id,
                    std::chrono::milliseconds patience = std::chrono::hours(1),
                    std::vector<uint64_t> processes = {},
                    const Secret *parent = nullptr);

/// Joins the job of `id`, whose `memory` has memoryBytes, which all ranks share
/// and which are zero at first. Errors: nobody answers by `deadline`, or
/// `peerFailure`, if there is one, says that nobody will; the id is not right;
/// the other ranks have another number of ranks or other files, or meet first,
/// and this one does not; the rank is taken, or another process's.
Status joinJob(const blinkUniqueId &id, const Applicant &applicant,
               std::chrono::steady_clock::time_point deadline,
               const std::function<Status()> &peerFailure, Descriptor &memory);

/// The same for the memory of one server of a job that is on several, by the
/// secret of its id: the first of the server's ranks makes it, and the others
/// find it. `applicant`: rank and number of ranks are those of the server.
Status joinServer(const Secret &secret, uint32_t server,
                  const Applicant &applicant,
                  std::chrono::steady_clock::time_point deadline,
                  const std::function<Status()> &peerFailure,
                  Descriptor &memory);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_RENDEZVOUS_H
