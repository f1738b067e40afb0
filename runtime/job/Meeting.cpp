//===- Meeting.cpp - what ranks exchange before they have a plan ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Meeting.h"

#include "runtime/Mapping.h"
#include "runtime/core/Memory.h"
#include "runtime/job/Job.h"
#include "runtime/job/LocalSocket.h"
#include "runtime/job/Rendezvous.h"

#include <unistd.h>

namespace blink::runtime {

Status meet(const blinkUniqueId &id, int numRanks, int rank,
            const std::string &said, std::chrono::milliseconds timeout,
            const std::function<Status()> &ended,
            std::vector<std::string> &all) {
  // A job in which no data is moved.
  Job job;
  job.begin(numRanks, timeout);
  AddressRecord *records = nullptr;
  const auto lay = [&](char *base) {
    Arena arena(base);
    job.layout(arena, numRanks);
    records = arena.take<AddressRecord>(size_t(numRanks));
    return arena.size();
  };
  const size_t bytes = lay(nullptr);
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  Descriptor file;
  Status status = joinJob(
      id, {uint32_t(numRanks), uint32_t(rank), 0, bytes, JoinStage::meeting},
      deadline, ended, file);
  if (!status.ok())
    return status;
  const std::shared_ptr<char> memory =
      mapFile(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get());
  if (!memory)
    return systemError("cannot map the memory that ranks meet in");
  lay(memory.get());
  if (!records[rank].set(said))
    return {blinkInternalError, "too much to say when ranks meet"};
  // Release: publishes the record.
  storeRelease(&job.peer(rank).process, uint64_t(getpid()));
  status =
      job.waitForAll(rank, &PeerRecord::process, 1, "join", deadline, ended);
  if (!status.ok()) {
    job.fail(couldNotJoin(rank, status));
    return status;
  }
  for (int other = 0; other < numRanks; ++other)
    all.push_back(records[other].get());
  return {};
}

} // namespace blink::runtime
