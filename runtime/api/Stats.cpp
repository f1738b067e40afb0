//===- Stats.cpp - what calls waited for ----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Comm.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

using namespace blink::runtime;

blinkResult_t blinkCommStats(blinkComm_t comm, blinkStats_t *stats,
                             uint64_t *waitedFor) {
  return guarded([&] {
    if (!comm || !stats)
      return refuse("the communicator or stats is NULL");
    if (stats->size < offsetof(blinkStats_t, collectives))
      return refuse("size is of no version of blink.h: begin with "
                    "BLINK_STATS_INITIALIZER");
    if (Status status = comm->usable(); !status.ok())
      return report(status, &comm->state->lastError);
    Backend &backend = *comm->backend;
    FlightFile &flight = backend.flight();
    const FlightRecorder &recorder = flight.of(comm->rank);
    blinkStats_t all = BLINK_STATS_INITIALIZER;
    all.size = std::min(stats->size, sizeof(all));
    all.collectives = recorder.collectives();
    all.messages = recorder.messages();
    all.mostWaitedFor = -1;
    uint64_t most = 0;
    for (int rank = 0; rank < backend.plan().numRanks; ++rank) {
      const uint64_t length = flight.waitedFor(comm->rank, rank);
      if (length > most)
        all.mostWaitedFor = rank;
      most = std::max(most, length);
      all.waited += length;
      if (waitedFor)
        waitedFor[rank] = length;
    }
    // Fields that the caller's header does not have are not written.
    std::memcpy(stats, &all, all.size);
    return blinkSuccess;
  });
}
