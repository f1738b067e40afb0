//===- ChannelPace.h - the planned pace of a channel ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A transport needs to know this of a channel, besides its chunks.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_CHANNELPACE_H
#define BLINK_RUNTIME_CORE_CHANNELPACE_H

#include <cstdint>

namespace blink::runtime {

struct ChannelPace {
  uint32_t window = 0; ///< the most chunks that may be on their way at once
  /// Bytes per second at the schedule's rate; 0: unknown.
  float rate = 0;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CORE_CHANNELPACE_H
