//===- Join.cpp - how a rank finds the others of its job ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Join.h"

#include "runtime/NetworkSettings.h"
#include "runtime/job/Rendezvous.h"
#include "runtime/job/UniqueId.h"

#include <algorithm>

namespace blink::runtime {
Status joinRanks(const JoinRequest &request, Job &job, Descriptor &memory) {
  const std::vector<uint16_t> &serverOf = request.serverOf;
  const uint16_t server = serverOf[size_t(request.rank)];
  Applicant applicant{uint32_t(serverOf.size()), uint32_t(request.rank),
                      request.fingerprint, request.memoryBytes};
  if (std::all_of(serverOf.begin(), serverOf.end(),
                  [](uint16_t other) { return other == 0; }))
    return joinJob(request.id, applicant, request.deadline, request.ended,
                   memory);

  IdContent content;
  Status status = readId(request.id, content);
  if (status.ok())
    status = checkSigning();
  if (status.ok() && content.place.count == 0)
    status = {blinkInvalidUsage,
              "the unique id is for one host: the process that made it is on "
              "no network, or has no libsodium"};
  ControlRequest control;
  if (status.ok())
    status = readSilence(control.silence);
  if (!status.ok())
    return status;
  control.secret = content.secret;
  control.directory = content.place;
  control.numRanks = int(serverOf.size());
  control.rank = request.rank;
  control.serverOf = serverOf;
  control.fingerprint = request.fingerprint;
  std::unique_ptr<ControlPlane> plane;
  status = ControlPlane::join(control, request.deadline, request.ended, plane);
  if (!status.ok())
    return status;
  ControlPlane &joined = *plane;
  job.connect(std::move(plane), serverOf, server, content.secret);
  applicant.rank = uint32_t(
      std::count(serverOf.begin(), serverOf.begin() + request.rank, server));
  applicant.numRanks =
      uint32_t(std::count(serverOf.begin(), serverOf.end(), server));
  const auto ended = [&] {
    const Status why = request.ended ? request.ended() : Status();
    return why.ok() ? joined.failure() : why;
  };
  return joinServer(content.secret, server, applicant, request.deadline, ended,
                    memory);
}

} // namespace blink::runtime
