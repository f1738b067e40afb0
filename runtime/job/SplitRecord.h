//===- SplitRecord.h - what ranks tell each other to split ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Lies in the job's memory, one a rank, zero at first.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_SPLITRECORD_H
#define BLINK_RUNTIME_JOB_SPLITRECORD_H

#include <cstdint>

namespace blink::runtime {

/// A rank's part in one blinkCommSplit.
struct alignas(64) SplitTurn {
  uint64_t color, key; ///< of 32 bits, with their signs
  uint64_t link;       ///< hash of the failed link
  // Of the first rank of a new job:
  uint64_t published; ///< the split that `id` is for, and kNone if it has none
  uint64_t id[16];    ///< a blinkUniqueId, where ranks join by one

  static constexpr uint64_t kNone = uint64_t(1) << 63;
};

/// Splits take turns: a rank writes in one turn while others may still read in
/// the other. None begins the next but one before all have begun the next, and
/// so are through with this one.
struct SplitRecord {
  SplitTurn turns[2];
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_SPLITRECORD_H
