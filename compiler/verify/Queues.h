//===- Queues.h - what waits in front of links ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_QUEUES_H
#define BLINK_COMPILER_VERIFY_QUEUES_H

#include "compiler/verify/PathRules.h"

namespace blink::verify {

/// Bytes that may wait in front of a link.
struct Queue {
  double bytes = 0;
  uint32_t link = 0;
};

/// Returns, for each link, the most bytes that network channels may have on
/// their way over it: if all of them arrive at once, they wait in front of the
/// link. Counts whole chunks for each window, or for all slots if there is no
/// window.
std::vector<double> queuedBytes(const TopologyView &machine,
                                const sched::Variant &variant);
/// Returns the queue of the link that takes the longest for it.
Queue longestQueue(const TopologyView &machine,
                   const std::vector<double> &bytes);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_QUEUES_H
