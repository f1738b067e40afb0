//===- Programs.h - programs of lanes on emulated devices -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_EMULATION_PROGRAMS_H
#define BLINK_TEST_EMULATION_PROGRAMS_H

#include "runtime/cuda/Launch.h"

namespace blink::test {

/// Returns the first channel of a rank's program that satisfies `fits`, as the
/// rank sees it, or null. Only channels that the rank reads or writes count.
template <typename Fits>
const runtime::LaneOperand *findChannel(const runtime::DeviceProgram &program,
                                        const Fits &fits) {
  for (uint64_t l = 0; l < program.numLanes; ++l) {
    const runtime::LaneProgram &lane = program.lanes()[l];
    for (uint32_t o = 0; o < lane.numOperands; ++o)
      if (lane.operands[o].kind == runtime::OperandKind::channel &&
          fits(lane.operands[o]))
        return &lane.operands[o];
  }
  return nullptr;
}

/// Returns the channel with this number, or null if it belongs to other ranks.
inline const runtime::DeviceChannel *
channelOf(const runtime::DeviceProgram &program, uint32_t number) {
  const runtime::LaneOperand *found =
      findChannel(program, [number](const runtime::LaneOperand &operand) {
        return operand.index == number;
      });
  return found ? &found->channel : nullptr;
}

} // namespace blink::test

#endif // BLINK_TEST_EMULATION_PROGRAMS_H
