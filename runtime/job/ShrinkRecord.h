//===- ShrinkRecord.h - the shared state of shrinking -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Lies in the job's memory, one per rank, zero at first. This memory is the
// only place that the ranks still have in common when any of them may have died
// (ShrinkAgreement.h). Each word is written by its own rank only, so that other
// servers can have copies (control/Mirror.h).
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_SHRINKRECORD_H
#define BLINK_RUNTIME_JOB_SHRINKRECORD_H

#include <cstdint>

namespace blink::runtime {

struct alignas(64) ShrinkRecord {
  /// From high to low: 14 bits, the number of the rank's shrink, from 1; 1 bit,
  /// whether it ended because another rank asked for something else; 1 bit,
  /// whether the rank is in it; 48 bits, a hash of what it asks for. All in one
  /// word, so that no reader sees a mixture.
  uint64_t proposal;
  /// From high to low: 14 bits each, the numbers of the leader's shrink and of
  /// the rank's own for which the rank is ready, or 0; 1 bit, whether the rank
  /// has seen the leader die before it heard of a decision, and listens to none
  /// any more.
  uint64_t ready;
  /// A hash of the proposals of all remaining ranks, set when the rank has
  /// agreed with them.
  uint64_t agreed;
  /// The rank's last shrink that it knows to have succeeded for all ranks: the
  /// leader has decided so, the others have heard of it.
  uint64_t succeeded;
  // Written by the leader, which is the lowest of the remaining ranks:
  uint64_t published; ///< number of the leader's shrink that `id` is for
  uint64_t id[16];    ///< a blinkUniqueId
  // For error messages:
  uint64_t described; ///< number of the shrink that the rest describes; 0 while
                      ///< it changes
  uint64_t numExcluded;
  uint64_t excluded[3]; ///< the first ones, four to a word
  uint64_t link[7];     ///< as text
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_SHRINKRECORD_H
