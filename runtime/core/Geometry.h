//===- Geometry.h - which elements a tree and a chunk carry -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The few multiplications that a call costs. All ranks, hosts and devices
// compute the same ranges, from the count, the type's size and the shares
// alone.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_GEOMETRY_H
#define BLINK_RUNTIME_CORE_GEOMETRY_H

#include "runtime/core/HostDevice.h"

#include <cstdint>

namespace blink::runtime {

/// Boundaries between trees fall on multiples of this many bytes (a cache line)
/// from the beginning of the block. So trees share no lines of an aligned
/// buffer, and chunks keep its alignment.
inline constexpr uint32_t kGranuleBytes = 64;

/// Elements [begin, end) of a block.
struct ElementRange {
  uint64_t begin;
  uint64_t end;

  BLINK_HOST_DEVICE constexpr uint64_t size() const { return end - begin; }
};

/// Returns where the trees with the first `numerators / denominator` of a block
/// of `count` elements end: 0 for none of the block, `count` for all of it, and
/// monotonic in between. Correct for every count: nothing overflows, because
/// the remainder and the numerators are below 2^32.
BLINK_HOST_DEVICE constexpr uint64_t shareBoundary(uint64_t count,
                                                   uint32_t elementBytes,
                                                   uint32_t numerators,
                                                   uint32_t denominator) {
  // A granule has 2^shift elements of 1, 2, 4 or 8 bytes.
  static_assert(kGranuleBytes == 64);
  const uint32_t shift = 6 - ((elementBytes >> 1) - (elementBytes >> 3));
  const uint64_t granule = uint64_t(1) << shift;
  const uint64_t granules = (count >> shift) + ((count & (granule - 1)) != 0);
  const uint64_t quotient = granules / denominator;
  const uint64_t remainder = granules % denominator;
  const uint64_t boundary =
      quotient * numerators + remainder * numerators / denominator;
  return boundary == granules ? count : boundary << shift;
}

/// The range of a tree that takes `numerator` parts of `denominator`, after
/// `before` parts of earlier trees.
BLINK_HOST_DEVICE constexpr ElementRange
treeRange(uint64_t count, uint32_t elementBytes, uint32_t before,
          uint32_t numerator, uint32_t denominator) {
  return {shareBoundary(count, elementBytes, before, denominator),
          shareBoundary(count, elementBytes, before + numerator, denominator)};
}

/// Bytes of a tree's chunks in a call whose largest tree has `rounds` chunks of
/// `chunkBytes`, a multiple of 16. A tree with a smaller share has as many
/// chunks, but smaller ones, so that trees that meet in a lane or on a link
/// advance in proportion from the first chunk to the last.
BLINK_HOST_DEVICE constexpr uint32_t treeChunkBytes(ElementRange tree,
                                                    uint32_t elementBytes,
                                                    uint32_t chunkBytes,
                                                    uint64_t rounds) {
  const uint64_t bytes = tree.size() * elementBytes;
  // Divisions of 64-bit numbers take a GPU long, and short calls have one
  // round.
  const uint64_t part =
      rounds == 1 ? bytes : bytes / rounds + (bytes % rounds != 0);
  const uint64_t granules = (part + kGranuleBytes - 1) / kGranuleBytes;
  const uint64_t chunk = (granules == 0 ? 1 : granules) * kGranuleBytes;
  return chunk < chunkBytes ? uint32_t(chunk) : chunkBytes;
}

/// The number of a tree's chunks of `chunkBytes`, a multiple of every element's
/// size. The last chunk may be shorter.
BLINK_HOST_DEVICE constexpr uint64_t
chunkCount(ElementRange tree, uint32_t elementBytes, uint32_t chunkBytes) {
  const uint64_t elements = chunkBytes / elementBytes, size = tree.size();
  return size <= elements ? size != 0
                          : size / elements + (size % elements != 0);
}

/// The range of chunk number `chunk`, which is below chunkCount.
BLINK_HOST_DEVICE constexpr ElementRange chunkRange(ElementRange tree,
                                                    uint32_t elementBytes,
                                                    uint32_t chunkBytes,
                                                    uint64_t chunk) {
  const uint64_t elements = chunkBytes / elementBytes;
  const uint64_t begin = tree.begin + chunk * elements;
  return {begin, tree.end - begin < elements ? tree.end : begin + elements};
}

static_assert(shareBoundary(~uint64_t(0), 1, 0xfffffffe, 0xffffffff) <
              ~uint64_t(0));
static_assert(shareBoundary(~uint64_t(0), 1, 1, 1) == ~uint64_t(0));
static_assert(shareBoundary(100, 4, 1, 2) == 48, "3 of 7 granules of 16");
static_assert(treeChunkBytes({0, 100000}, 4, 1 << 17, 10) == 40000);
static_assert(treeChunkBytes({0, 100000}, 1, 1 << 14, 3) == 1 << 14);
static_assert(treeChunkBytes({7, 7}, 1, 1 << 14, 3) == kGranuleBytes);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CORE_GEOMETRY_H
