//===- ExchangeRecord.h - what ranks say to each other ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Lies in the job's memory, one a rank, zero at first.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_EXCHANGERECORD_H
#define BLINK_RUNTIME_JOB_EXCHANGERECORD_H

#include <cstdint>

namespace blink::runtime {

/// What a rank says in one blinkCommExchange.
struct alignas(64) ExchangeTurn {
  static constexpr uint64_t kBytes = 256;

  uint64_t bytes;
  char said[kBytes];
};

/// By turns, as splits are (SplitRecord).
struct ExchangeRecord {
  ExchangeTurn turns[2];
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_EXCHANGERECORD_H
