//===- SwitchMeeting.cpp - switch memory of several processes -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/SwitchMeeting.h"

#include <fcntl.h>

namespace blink::runtime {

Status SwitchMeeting::offer(int device, size_t bytes, SwitchMemory &memory) {
  Status status =
      memory.makeObject(device, size_t(job_.numRanks()), bytes, true);
  auto file = std::make_shared<Descriptor>();
  if (status.ok())
    status = memory.exportTo(*file);
  SwitchRecord &own = records_[self_];
  own.bytes = memory.bytes();
  return status.ok()
             ? files_.start(
                   [file](uint64_t, Descriptor &copy, FileNote &) {
                     copy = Descriptor(fcntl(file->get(), F_DUPFD_CLOEXEC, 0));
                     return copy ? Status()
                                 : systemError("cannot hand out an object");
                   },
                   own.key)
             : status;
}

Status SwitchMeeting::take(SwitchMemory &memory) const {
  const SwitchRecord &first = records_[0];
  return takeFiles(first.key, 1, deadline_,
                   [&](Descriptor file, const FileNote &) {
                     return memory.import(file, first.bytes);
                   });
}

/// Says how this rank's step went, and reads what all ranks say.
Status SwitchMeeting::meet(const Status &said, Status &outcome) {
  ++number_;
  SwitchRecord &own = records_[self_];
  if (!said.ok()) {
    own.why.set(said);
    // Relaxed: the meeting's number is published after it, with release.
    storeRelaxed(&own.failedAt, number_);
  }
  job_.publish(&job_.peer(self_).switches, number_);
  const Status status =
      job_.waitForAll(self_, &PeerRecord::switches, number_,
                      "set up a switch's memory", deadline_, ended_);
  if (!status.ok())
    return status;
  for (int rank = 0; rank < job_.numRanks() && outcome.ok(); ++rank) {
    // Relaxed: what was said up to this meeting was acquired with its number. A
    // rank that has gone on may store a later meeting's number here at any
    // time, which this meeting ignores.
    const uint64_t failedAt = loadRelaxed(&records_[rank].failedAt);
    if (failedAt != 0 && failedAt <= number_) {
      const Status why = records_[rank].why.get();
      outcome = Status(why.code, "rank ", rank, ": ", why.text);
    }
  }
  return {};
}

Status SwitchMeeting::make(Status can, int device, size_t bytes,
                           SwitchMemory &memory, Status &outcome) {
  if (can.ok() && self_ == 0)
    can = offer(device, bytes, memory);
  Status status = meet(can, outcome);
  if (!status.ok() || !outcome.ok())
    return status;
  Status step = self_ == 0 ? Status() : take(memory);
  if (step.ok())
    step = memory.add({device});
  status = meet(step, outcome);
  if (!status.ok() || !outcome.ok())
    return status;
  return meet(memory.bind(), outcome);
}

} // namespace blink::runtime
