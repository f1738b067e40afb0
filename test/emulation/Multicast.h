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

/// Where the memories of a multicast object have the 16 bytes that its address
/// stands for. Whoever uses an address that is none of an object, that is not
/// aligned, or of an object that lacks memory of some device, is ended: on a
/// GPU that is undefined.
std::vector<char *> multicastParts(const char *address);

/// How often that has been asked.
uint64_t numMulticasts();

} // namespace blink::test

#endif // BLINK_TEST_EMULATION_MULTICAST_H
