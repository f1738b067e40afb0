//===- FuzzTarget.h - the functions of a fuzz target ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A target is one file that defines the functions below for one reader of
// bytes, plus a line in CMakeLists.txt. It is built with clang for libFuzzer
// (preset `fuzz`), and in all builds as a program that replays files
// (Replay.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_FUZZ_FUZZTARGET_H
#define BLINK_TEST_FUZZ_FUZZTARGET_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

/// Reads `size` bytes as a user's file. Must not crash, loop or leak, whatever
/// the bytes are. Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Optional: changes `data` in place and returns its new size, at most
/// `mostBytes`. For formats with checksums, which nearly every change would
/// break.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t mostBytes, unsigned seed);

/// libFuzzer's own changes, for use in mutators.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size,
                                   size_t mostBytes);

namespace blink::test {

/// Aborts unless `holds`: checks a promise that a reader makes for any input.
/// libFuzzer and ctest both notice an abort.
inline void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "fuzz target: not so: %s\n", what);
  std::abort();
}

inline std::string_view textOfInput(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

} // namespace blink::test

#endif // BLINK_TEST_FUZZ_FUZZTARGET_H
