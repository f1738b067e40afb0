//===- SwitchMeeting.h - switch memory of several processes -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Ranks in several processes, each with a GPU, make one SwitchMemory. They meet
// after each step, and each rank says whether the step succeeded:
//
//   rank 0                      the others
//     makes the object
//   ----------------------------------------- meeting 1
//     hands it out        --->    take it
//     all add their GPUs
//   ----------------------------------------- meeting 2
//     all bind memory and map the object
//   ----------------------------------------- meeting 3
//
// A rank does not change later what it says at a meeting. So all ranks read the
// same, however late, and give up after the same meeting.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_SWITCHMEETING_H
#define BLINK_RUNTIME_CUDA_SWITCHMEETING_H

#include "runtime/cuda/SwitchMemory.h"
#include "runtime/job/FileOffer.h"
#include "runtime/job/Job.h"

namespace blink::runtime {

/// A rank's record for the others, in the job's memory; zero at first.
struct SwitchRecord {
  uint64_t failedAt; ///< the meeting to which it came with an error; 0: none
  SharedStatus why;  ///< that error
  // Written by rank 0 only:
  uint64_t bytes; ///< bytes of the object
  OfferKey key;   ///< key of the object's file
};

class SwitchMeeting {
public:
  /// `records` has one entry for each rank of the job, in memory that all
  /// processes share.
  SwitchMeeting(const Job &job, SwitchRecord *records, int self,
                std::chrono::steady_clock::time_point deadline,
                const std::function<Status()> &ended)
      : job_(job), records_(records), self_(self), deadline_(deadline),
        ended_(ended) {}

  /// Makes memory of at least `bytes` on `device`, which no other rank uses. A
  /// rank that cannot take part says so by an error in `can`. Sets `outcome` to
  /// the same on all ranks: success, or what one of them could not do; then
  /// `memory` is of no use. Errors: a rank does not come; then the job has
  /// failed.
  Status make(Status can, int device, size_t bytes, SwitchMemory &memory,
              Status &outcome);

private:
  Status offer(int device, size_t bytes, SwitchMemory &memory);
  Status take(SwitchMemory &memory) const;
  Status meet(const Status &said, Status &outcome);

  const Job &job_;
  SwitchRecord *records_;
  int self_;
  std::chrono::steady_clock::time_point deadline_;
  const std::function<Status()> &ended_;
  uint64_t number_ = 0; ///< number of the last meeting
  FileOffer files_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_SWITCHMEETING_H
