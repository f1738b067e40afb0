//===- Exchange.cpp - ranks exchange a few bytes --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Exchange.h"

#include "runtime/core/Memory.h"
#include "runtime/job/Backoff.h"
#include "runtime/job/MirroredCopy.h"

#include <chrono>
#include <cstddef>
#include <cstring>
#include <iterator>

namespace blink::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// Waits until `rank` has written its bytes of exchange `number`.
Status waitFor(const Job &job, int self, int rank, uint64_t number,
               Clock::time_point deadline) {
  const auto missing = [&] {
    // Acquire: also makes the bytes visible that `rank` wrote before.
    return loadAcquire(&job.peer(rank).exchanges) < number;
  };
  Backoff backoff(true);
  while (missing()) {
    backoff.wait();
    if (!backoff.sleeping())
      continue;
    // A rank that has left may have written its bytes before; hence missing()
    // again. A rank of this process that is aborted meanwhile must not wait on.
    if (const Status why = job.peerFailure(rank); !why.ok() && missing())
      return why;
    if (job.detached(self))
      return Job::abortedBy(self);
    if (Clock::now() > deadline && missing())
      return Status(blinkRemoteError, "rank ", self, " waited ",
                    job.timeout().count(), " ms for rank ", rank,
                    " to exchange words, too");
  }
  return {};
}

} // namespace

Status exchange(const Job &job, int self, const std::vector<int> &ranks,
                const void *said, size_t bytes, char *all) {
  uint64_t &exchanges = job.peer(self).exchanges;
  const uint64_t number = exchanges + 1; // only this rank writes it
  const Clock::time_point deadline = Clock::now() + job.timeout();
  // The words of two exchanges ago will be overwritten. Every rank that has
  // begun the last exchange has finished reading them. In that one this rank
  // has waited for all, unless it failed.
  for (const int rank : ranks) {
    const Status status = waitFor(job, self, rank, number - 1, deadline);
    if (!status.ok())
      return status;
  }
  ExchangeTurn &own = job.exchangeRecord(self).turns[number % 2];
  // Relaxed: a mirror may read these words at any time.
  uint64_t words[sizeof(own) / sizeof(uint64_t)] = {bytes};
  std::memcpy(words + offsetof(ExchangeTurn, said) / sizeof(uint64_t), said,
              bytes);
  for (size_t w = 0; w < std::size(words); ++w)
    storeRelaxed(reinterpret_cast<uint64_t *>(&own) + w, words[w]);
  job.publish(&exchanges, number); // release: publishes those words
  for (size_t i = 0; i < ranks.size(); ++i) {
    const Status status = waitFor(job, self, ranks[i], number, deadline);
    if (!status.ok())
      return status;
    const ExchangeTurn turn =
        mirroredCopy(job.exchangeRecord(ranks[i]).turns[number % 2]);
    if (turn.bytes != bytes)
      return Status(blinkInvalidUsage, "rank ", self, " exchanges ", bytes,
                    " bytes, rank ", ranks[i], " ", turn.bytes);
    std::memcpy(all + i * bytes, turn.said, bytes);
  }
  return {};
}

} // namespace blink::runtime
