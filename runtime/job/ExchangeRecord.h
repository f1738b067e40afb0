//===- ExchangeRecord.h - the shared state of exchanges ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Lies in the job's memory, one per rank, zero at first.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_EXCHANGERECORD_H
#define BLINK_RUNTIME_JOB_EXCHANGERECORD_H

#include <cstdint>

namespace blink::runtime {

/// A rank's part in one blinkCommExchange.
struct alignas(64) ExchangeTurn {
  static constexpr uint64_t kBytes = 256;

  uint64_t bytes;
  char said[kBytes];
};

/// Exchanges alternate between the two turns, as splits do (SplitRecord).
struct ExchangeRecord {
  ExchangeTurn turns[2];
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_EXCHANGERECORD_H
