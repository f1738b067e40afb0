//===- ShrinkRecord.h - what ranks tell each other to shrink ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Lies in the job's memory, one a rank, zero at first: the only place that the
// ranks still have in common when any of them may have died
// (ShrinkAgreement.h). Each word is written by its rank alone, so that other
// servers have copies (control/Mirror.h).
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_SHRINKRECORD_H
#define BLINK_RUNTIME_JOB_SHRINKRECORD_H

#include <cstdint>

namespace blink::runtime {

struct alignas(64) ShrinkRecord {
  /// From high to low: 14 bits, which of the rank's shrinks this is, from 1; 1
  /// bit, whether it ended because another rank asked for something else; 1
  /// bit, whether the rank is in it; 48 bits, a hash of what it asks for. In
  /// one word, so that nobody sees a mixture.
  uint64_t proposal;
  /// From high to low: the leader's shrink and the rank's own for which it is
  /// ready, 14 bits each, or 0; 1 bit, whether it has seen the leader die
  /// before it heard of a decision, and listens to none any more.
  uint64_t ready;
  /// A hash of the proposals of all ranks that remain, once the rank has agreed
  /// with them.
  uint64_t agreed;
  /// The rank's last shrink that it knows to have succeeded, for all: the
  /// leader decides so, the others have heard.
  uint64_t succeeded;
  // Of the lowest of the ranks that remain, which leads.
  uint64_t published; ///< the leader's shrink that `id` is for
  uint64_t id[16];    ///< a blinkUniqueId
  // For messages:
  uint64_t described; ///< the shrink that the rest is of; 0 while it changes
  uint64_t numExcluded;
  uint64_t excluded[3]; ///< the first ones, four in a word
  uint64_t link[7];     ///< as text
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_SHRINKRECORD_H
