//===- Registration.cpp - all ranks register a buffer ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Registration.h"

namespace blink::runtime {
namespace {

/// The lowest number that is free on all ranks, or kMaxTogether.
uint32_t freeNumber(const Job &job) {
  uint64_t used = 0;
  for (int rank = 0; rank < job.numRanks(); ++rank)
    used |= job.registration(rank).used;
  uint32_t number = 0;
  while (number < kMaxTogether && (used >> number & 1))
    ++number;
  return number;
}

} // namespace

Status registerTogether(Job &job, int self, uint32_t used,
                        const Status &offered,
                        const std::function<Status(uint32_t number)> &open,
                        Registration &registration) {
  RegistrationRecord &mine = job.registration(self);
  // Plain words, with a barrier between writing and reading: all have read
  // `used` before any of them is behind the next one. The outcome of the last
  // registration a slow rank may still be reading now; it has done so when it
  // comes to the first barrier.
  mine.used = used;
  Status status = job.stepTogether(self);
  if (!status.ok())
    return status;
  Status own = offered;
  registration.number = freeNumber(job);
  if (registration.number == kMaxTogether)
    own = {blinkInvalidUsage,
           std::to_string(kMaxTogether) + " buffers are registered already"};
  if (own.ok())
    own = open(registration.number);
  mine.outcome.set(own);
  // Nobody reads or writes there before all can.
  status = job.stepTogether(self);
  for (int rank = 0;
       status.ok() && registration.outcome.ok() && rank < job.numRanks();
       ++rank)
    registration.outcome = job.registration(rank).outcome.get();
  return status;
}

} // namespace blink::runtime
