//===- Program.h - a rank's program as in the file --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The structs of schedule.fbs that the interpreter reads, declared so that
// devices can read them, too: FlatBuffers' accessors are host code. They have
// the same names and the same layout (Plan.cpp asserts it), and are little
// endian like the file.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_PROGRAM_H
#define BLINK_RUNTIME_CORE_PROGRAM_H

#include "runtime/core/Geometry.h"

#include <cstdint>

namespace blink::runtime {

enum class OperandKind : uint8_t { input, output, channel };

struct OperandCode {
  uint32_t index; ///< block or channel number
  OperandKind kind;
  uint8_t padding[3];
};

struct StepCode {
  uint32_t tree;
  uint32_t operandsBegin;
  uint16_t sources;
  uint16_t destinations;
  uint8_t completes;
  uint8_t padding;
  uint16_t delay; ///< rounds; see LaneCursor.h

  BLINK_HOST_DEVICE uint32_t numOperands() const {
    return uint32_t(sources) + destinations;
  }
};

struct LaneCode {
  uint32_t stepsBegin;
  uint32_t stepsCount;
};

/// The program of one rank: pointers into the file, or into a copy of it in a
/// device's memory.
struct RankCode {
  const LaneCode *lanes = nullptr;
  const StepCode *steps = nullptr;
  const OperandCode *operands = nullptr;
  uint32_t numLanes = 0;
};

/// A tree's share of its block.
struct TreeShare {
  uint32_t before; ///< numerators of the block's earlier trees
  uint32_t numerator;
  uint32_t denominator;
};

/// The shape of a call, without its buffers; the same on every rank.
struct CallShape {
  uint64_t count = 0; ///< elements of a block
  uint32_t elementBytes = 0;
  uint32_t chunkBytes = 0; ///< bytes of a chunk of the largest tree
  uint32_t divisor = 0;    ///< of folds that complete; 0: no division
  /// Bytes of an element of a partial sum (schedules/PartialSums.h) if that is
  /// wider than the type: those of a float. Else 0.
  uint32_t partialBytes = 0;
  uint64_t rounds = 1; ///< number of chunks of the largest tree, at least 1

  BLINK_HOST_DEVICE uint64_t blockBytes() const { return count * elementBytes; }
  /// Bytes of an element of a chunk that is a partial sum, or is not.
  BLINK_HOST_DEVICE uint32_t bytesOf(bool partial) const {
    return partial && partialBytes != 0 ? partialBytes : elementBytes;
  }
  BLINK_HOST_DEVICE ElementRange rangeOf(const TreeShare &share) const {
    return treeRange(count, elementBytes, share.before, share.numerator,
                     share.denominator);
  }
  /// Bytes of the chunks of a tree with this range.
  BLINK_HOST_DEVICE uint32_t chunkBytesOf(ElementRange range) const {
    return treeChunkBytes(range, elementBytes, chunkBytes, rounds);
  }
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CORE_PROGRAM_H
