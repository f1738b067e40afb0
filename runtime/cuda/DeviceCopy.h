//===- DeviceCopy.h - a copy by the threads of a block ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// 16 bytes per access, several accesses in flight, any number of destinations.
// A source that is aligned differently is loaded by words or by aligned packs,
// which are shifted if its elements do not begin at a word.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_DEVICECOPY_H
#define BLINK_RUNTIME_CUDA_DEVICECOPY_H

#include "runtime/cuda/Turns.h"

namespace blink::runtime {

/// Copies to destinations that are aligned alike.
template <typename Block>
BLINK_DEVICE inline void copyAlike(const Block &block, const char *source,
                                   SharedPointers<char> destinations,
                                   uint32_t numDestinations, char *first,
                                   uint64_t size) {
  const uint32_t above = misalignment(source - misalignment(first));
  const PackRange range = PackRange::of<char>(first, above != 0, size);
  const uint64_t resume = range.numPacks * Pack::kBytes;
  BLINK_ROLLED
  for (uint64_t i = block.thread(); i + resume < size; i += block.size()) {
    const uint64_t at = i < range.head ? i : i + resume;
    const char byte = source[at];
    BLINK_ROLLED
    for (uint32_t d = 0; d < numDestinations; ++d)
      if (char *destination = destinations[d])
        destination[at] = byte;
  }
  Turns turns = Turns::of(block, range.head, range.numPacks);
  const auto toAll = [&](const auto &turn, const auto &packs) {
    // With one destination its pointer stays in a register.
    if (numDestinations == 1)
      return turn.store(first, packs);
    BLINK_ROLLED
    for (uint32_t d = 0; d < numDestinations; ++d)
      if (char *destination = destinations[d])
        turn.store(destination, packs);
  };
  const auto run = [&](auto packs, auto load) {
    turns.run<packs.value>([&](const auto &turn) {
      Pack packs[std::decay_t<decltype(turn)>::kNum];
      load(turn, packs);
      toAll(turn, packs);
    });
  };
  // Packs in flight; half as many if each takes two loads.
  constexpr std::integral_constant<int, 8> all;
  constexpr std::integral_constant<int, 4> half;
  if (above == 0)
    run(all, [&](const auto &turn, auto &packs) { turn.load(source, packs); });
  else if (above == 8)
    run(all, [&](const auto &turn, auto &packs) {
      turn.template loadByParts<8>(source, packs);
    });
  else if (above % 4 == 0)
    run(all, [&](const auto &turn, auto &packs) {
      turn.template loadByParts<4>(source, packs);
    });
  else
    withWord(above, [&](auto word) {
      run(half, [&](const auto &turn, auto &packs) {
        turn.loadShifted(source, above, word, packs);
      });
    });
}

/// Copies bits, whatever they mean. Consecutive destinations that are aligned
/// alike are written together.
template <typename Block>
BLINK_DEVICE inline void copyRange(const Block block, const char *source,
                                   SharedPointers<char> destinations,
                                   uint32_t numDestinations, uint64_t size) {
  BLINK_ROLLED
  for (uint32_t d = 0; d < numDestinations;) {
    char *const first = destinations[d];
    uint32_t end = d + 1;
    BLINK_ROLLED
    for (; first && end < numDestinations; ++end)
      if (char *next = destinations[end])
        if (misalignment(next) != misalignment(first))
          break;
    if (first)
      copyAlike(block, source, destinations.from(d), end - d, first, size);
    d = end;
  }
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_DEVICECOPY_H
