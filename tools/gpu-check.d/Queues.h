//===- Queues.h - whether streams run side by side --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_GPUCHECK_QUEUES_H
#define BLINK_TOOLS_GPUCHECK_QUEUES_H

#include <cstdint>
#include <vector>

namespace blink::gpubench {

/// How often kernels in so many streams did not run at the same time.
struct QueueCount {
  uint32_t streams = 0;
  bool copies = false; ///< by copies, or else by kernels that copy
  uint32_t rounds = 0;
  uint32_t failed = 0; ///< rounds in which a kernel waited in vain
};
/// Lets kernels in 2 to 32 streams wait for each other, `rounds` times with new
/// streams, each behind a copy to the GPU and before a copy from it. Streams
/// that share a hardware queue wait for each other's copies and kernels, which
/// ranks that share a GPU must not. Kernels and copies have different queues,
/// so all is done twice: with copies, and with kernels that copy. Each stream
/// is used by a thread of its own. Throws std::runtime_error.
std::vector<QueueCount> countQueues(uint32_t rounds);

} // namespace blink::gpubench

#endif // BLINK_TOOLS_GPUCHECK_QUEUES_H
