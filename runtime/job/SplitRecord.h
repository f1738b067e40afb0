//===- SplitRecord.h - the shared state of splits ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Lies in the job's memory, one per rank, zero at first.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_SPLITRECORD_H
#define BLINK_RUNTIME_JOB_SPLITRECORD_H

#include <cstdint>

namespace blink::runtime {

/// A rank's part in one blinkCommSplit.
struct alignas(64) SplitTurn {
  uint64_t color, key; ///< sign-extended from 32 bits
  uint64_t link;       ///< hash of the failed link's name
  // Written by the first rank of a new job:
  uint64_t published; ///< number of the split that `id` is for, with kNone if
                      ///< there is no id
  uint64_t id[16];    ///< a blinkUniqueId, if ranks join by one

  static constexpr uint64_t kNone = uint64_t(1) << 63;
};

/// Splits alternate between the two turns: a rank writes to one turn while
/// others may still read the other. No rank begins split k + 2 before all ranks
/// have begun split k + 1, and these have finished reading split k.
struct SplitRecord {
  SplitTurn turns[2];
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_SPLITRECORD_H
