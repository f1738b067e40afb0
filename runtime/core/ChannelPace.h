//===- ChannelPace.h - what is planned for a channel ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What a transport needs to know of a channel beside its chunks.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_CHANNELPACE_H
#define BLINK_RUNTIME_CORE_CHANNELPACE_H

#include <cstdint>

namespace blink::runtime {

struct ChannelPace {
  uint32_t window = 0; ///< the most chunks that may be on their way at a time
  /// Bytes a second at the schedule's rate; 0: not known.
  float rate = 0;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CORE_CHANNELPACE_H
