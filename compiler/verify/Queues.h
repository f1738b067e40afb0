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

/// The most that network channels may have on their way over each link: if all
/// of it comes at once, so much waits in front of it. Windows, or slots where
/// there are none, of whole chunks.
std::vector<double> queuedBytes(const TopologyView &machine,
                                const sched::Variant &variant);
/// That of the link which takes longest for it.
Queue longestQueue(const TopologyView &machine,
                   const std::vector<double> &bytes);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_QUEUES_H
