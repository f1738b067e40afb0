//===- Rendezvous.h - how processes of one host find a job ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The process that makes a unique id listens on a socket that has no place in
// the file system. It hands the job's memory, which has no name either, to each
// process that proves that it has the id. No process can therefore join or read
// without the id. Processes of other hosts are told where the job's hub is
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

/// What ranks come together for, one stage after the other. Only ranks that
/// have something to exchange before (meet) go through the first.
enum class JoinStage : uint64_t { meeting, job };

/// A rank that wants to join, and the stage.
struct Applicant {
  uint32_t numRanks = 0;
  uint32_t rank = 0;
  uint64_t fingerprint = 0; ///< of the plan
  uint64_t memoryBytes = 0;
  JoinStage stage = JoinStage::job;
};

/// The error by which the others learn that they need not wait for `rank` any
/// more.
inline Status couldNotJoin(int rank, const Status &why) {
  return Status(blinkRemoteError, "rank ", rank, " could not join: ", why.text);
}

/// Makes an id, and answers applicants in the background until all ranks have
/// come or `patience` is over. If the ranks' processes are known already,
/// `processes` has their process ids, and no other processes of this host are
/// admitted. With a `parent`, the secret of the job that the new one is made
/// from, the id does not contain its own secret (IdContent::hideSecret).
/// Errors: system error.
Status makeUniqueId(blinkUniqueId &id,
                    std::chrono::milliseconds patience = std::chrono::hours(1),
                    std::vector<uint64_t> processes = {},
                    const Secret *parent = nullptr);

/// Joins the job of `id`. `memory` is set to the memory of memoryBytes that all
/// ranks share; it is zero at first. Errors: there is no answer by `deadline`,
/// or `peerFailure`, which may be empty, says that there will be none; the id
/// is not valid; the other ranks have another number of ranks or other files,
/// or meet first and this rank does not; the rank is taken, or belongs to
/// another process.
Status joinJob(const blinkUniqueId &id, const Applicant &applicant,
               std::chrono::steady_clock::time_point deadline,
               const std::function<Status()> &peerFailure, Descriptor &memory);

/// Does the same for the memory of one server of a job on several servers, by
/// means of the secret of its id: the first of the server's ranks makes the
/// memory, and the others find it. `applicant`: rank and number of ranks are
/// counted within the server.
Status joinServer(const Secret &secret, uint32_t server,
                  const Applicant &applicant,
                  std::chrono::steady_clock::time_point deadline,
                  const std::function<Status()> &peerFailure,
                  Descriptor &memory);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_RENDEZVOUS_H
