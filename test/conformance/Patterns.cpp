//===- Patterns.cpp - inputs and results of many elements -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Patterns.h"

#include "runtime/Fork.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

namespace blink::test {
namespace {

Pattern patternOf(blinkDataType_t type, const std::vector<uint64_t> &column) {
  Pattern pattern(kPeriod * 64);
  for (size_t i = 0; i < kPeriod; ++i)
    storeBits(type, pattern.data(), i, column[i]);
  const size_t period = kPeriod * size_t(bytesOf(type));
  for (size_t at = period; at != pattern.size(); at += period)
    std::memcpy(pattern.data() + at, pattern.data(), period);
  return pattern;
}

/// Calls visit(offset, piece, bytes) for each piece of the pattern; together
/// the pieces are its elements [first, first + count).
template <typename Visit>
void alongPattern(const Pattern &pattern, size_t elementBytes, size_t first,
                  size_t count, const Visit &visit) {
  size_t begin = first % kPeriod * elementBytes;
  size_t offset = 0;
  while (offset != count * elementBytes) {
    const size_t bytes =
        std::min(count * elementBytes - offset, pattern.size() - begin);
    visit(offset, pattern.data() + begin, bytes);
    offset += bytes;
    begin = 0; // from here on, whole periods
  }
}

} // namespace

const Pattern &inputPattern(blinkDataType_t type,
                            std::optional<blinkRedOp_t> op, int rank) {
  static std::map<std::tuple<int, std::optional<blinkRedOp_t>, int>, Pattern>
      patterns;
  // The ranks' threads call this, and so do children forked meanwhile.
  static runtime::ForkSafeMutex &mutex = *new runtime::ForkSafeMutex;
  const std::lock_guard<std::mutex> lock(mutex);
  Pattern &pattern = patterns[{type, op, rank}];
  if (pattern.empty()) {
    std::vector<uint64_t> column;
    for (size_t i = 0; i < kPeriod; ++i)
      column.push_back(inputBits(type, op, rank, i));
    pattern = patternOf(type, column);
  }
  return pattern;
}

const Pattern &reducedPattern(blinkDataType_t type, blinkRedOp_t op,
                              int numRanks) {
  static std::map<std::tuple<int, int, int>, Pattern> patterns;
  // This comes before the lock: no thread may hold two locks that fork() waits
  // for.
  std::vector<const Pattern *> inputs;
  for (int rank = 0; rank < numRanks; ++rank)
    inputs.push_back(&inputPattern(type, op, rank));
  static runtime::ForkSafeMutex &mutex = *new runtime::ForkSafeMutex;
  const std::lock_guard<std::mutex> lock(mutex);
  Pattern &pattern = patterns[{type, op, numRanks}];
  if (pattern.empty()) {
    std::vector<uint64_t> column;
    for (size_t i = 0; i < kPeriod; ++i) {
      std::vector<uint64_t> contributions;
      for (const Pattern *input : inputs)
        contributions.push_back(loadBits(type, input->data(), i));
      column.push_back(reduceBits(type, op, contributions));
    }
    pattern = patternOf(type, column);
  }
  return pattern;
}

void fill(unsigned char *buffer, const Pattern &pattern, size_t elementBytes,
          size_t first, size_t count) {
  alongPattern(pattern, elementBytes, first, count,
               [&](size_t offset, const unsigned char *piece, size_t bytes) {
                 std::memcpy(buffer + offset, piece, bytes);
               });
}

void compare(const unsigned char *buffer, size_t at, const Pattern &pattern,
             size_t elementBytes, size_t first, size_t count, Wrong &wrong) {
  alongPattern(pattern, elementBytes, first, count,
               [&](size_t offset, const unsigned char *piece, size_t bytes) {
                 const unsigned char *got = buffer + at * elementBytes + offset;
                 if (std::memcmp(got, piece, bytes) == 0)
                   return;
                 for (size_t i = 0; i < bytes; i += elementBytes)
                   if (std::memcmp(got + i, piece + i, elementBytes) != 0 &&
                       wrong.count++ == 0)
                     wrong.first = at + (offset + i) / elementBytes;
               });
}

} // namespace blink::test
