//===- SwitchMeeting.h - several processes' switch memory -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// How ranks in several processes, each with a GPU, make one SwitchMemory. They
// meet after each step, and say whether it went well:
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
// What is said in a meeting stays as it is. So all hear the same of it, however
// late, and give up after the same one.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_SWITCHMEETING_H
#define BLINK_RUNTIME_CUDA_SWITCHMEETING_H

#include "runtime/cuda/SwitchMemory.h"
#include "runtime/job/FileOffer.h"
#include "runtime/job/Job.h"

namespace blink::runtime {

/// What a rank tells the others: in the job's memory, zero at first.
struct SwitchRecord {
  uint64_t
      failedAt;     ///< the meeting to which it came with an error; 0: none yet
  SharedStatus why; ///< that error
  // Rank 0's:
  uint64_t bytes; ///< of the object
  OfferKey key;   ///< of its file
};

class SwitchMeeting {
public:
  /// `records`: one a rank of the job, which shares the memory of this process
  /// as a whole.
  SwitchMeeting(const Job &job, SwitchRecord *records, int self,
                std::chrono::steady_clock::time_point deadline,
                const std::function<Status()> &ended)
      : job_(job), records_(records), self_(self), deadline_(deadline),
        ended_(ended) {}

  /// Makes memory of `bytes` or a little more on `device`, no other rank's,
  /// unless this rank comes with an error. `outcome` is the same on all ranks:
  /// success, or what one of them could not do; `memory` is of no use then.
  /// Errors, after which the job has failed: a rank does not come.
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
  uint64_t number_ = 0; ///< of the last meeting
  FileOffer files_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_SWITCHMEETING_H
