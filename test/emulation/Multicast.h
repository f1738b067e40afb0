//===- Multicast.h - multicast objects, emulated ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_EMULATION_MULTICAST_H
#define BLINK_TEST_EMULATION_MULTICAST_H

#include <cstdint>
#include <vector>

namespace blink::test {

/// Returns where each device's memory of a multicast object has the 16 bytes
/// that `address` stands for. Aborts the process if the address is not that of
/// an object, not aligned, or if a device has not bound memory: on a GPU that
/// is undefined behaviour.
std::vector<char *> multicastParts(const char *address);

/// Returns the number of calls of multicastParts().
uint64_t numMulticasts();

} // namespace blink::test

#endif // BLINK_TEST_EMULATION_MULTICAST_H
