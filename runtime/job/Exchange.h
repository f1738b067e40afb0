//===- Exchange.h - ranks exchange a few bytes ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_EXCHANGE_H
#define BLINK_RUNTIME_JOB_EXCHANGE_H

#include "runtime/job/Job.h"

#include <vector>

namespace blink::runtime {

/// Sends the `bytes` bytes at `said`, at most ExchangeTurn::kBytes, as rank
/// `self`, and receives those of all `ranks`, which include `self`: the bytes
/// of ranks[i] begin at all[i * bytes]. Works in a failed job, too. Each rank
/// calls it with the same ranks and number of bytes, one call at a time.
/// Errors, which do not fail the job: a rank dies, has destroyed its
/// communicator, or does not call within the job's time limit; the numbers of
/// bytes differ.
Status exchange(const Job &job, int self, const std::vector<int> &ranks,
                const void *said, size_t bytes, char *all);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_EXCHANGE_H
