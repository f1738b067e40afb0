//===- Exchange.cpp - ranks exchange a few bytes --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Exchange.h"

#include "runtime/api/Config.h"

#include <algorithm>

using namespace blink::runtime;

static_assert(ExchangeTurn::kBytes == BLINK_EXCHANGE_BYTES);

blinkResult_t blinkCommExchange(blinkComm_t comm, const void *said,
                                size_t bytes, void *all,
                                const int *excludeRanks, int excludeCount) {
  return guarded([&] {
    if (!comm || !said || !all || bytes == 0 || bytes > ExchangeTurn::kBytes)
      return refuse("the communicator or a buffer is NULL, or the bytes are "
                    "none or more than BLINK_EXCHANGE_BYTES");
    // Copies, because blinkCommAbort may free `comm` meanwhile.
    std::shared_ptr<CommState> state = comm->state;
    const int rank = comm->rank;
    Status status = comm->usable();
    ShrinkRequest request;
    if (status.ok())
      status = readShrink(*comm, excludeRanks, excludeCount, nullptr, request);
    if (!status.ok())
      return report(status, &state->lastError);
    std::vector<int> ranks;
    for (int other = 0; other < state->backend->plan().numRanks; ++other)
      if (!std::binary_search(request.excluded.begin(), request.excluded.end(),
                              other))
        ranks.push_back(other);
    const std::lock_guard<std::mutex> turn(state->exchanging);
    return report(exchange(state->backend->job(), rank, ranks, said, bytes,
                           static_cast<char *>(all)),
                  &state->lastError);
  });
}
