//===- VirtualMemory.h - mapped memory and pools, emulated ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_EMULATION_VIRTUALMEMORY_H
#define BLINK_TEST_EMULATION_VIRTUALMEMORY_H

#include <cuda_runtime_api.h>
#include <string>

namespace blink::test {

/// Whether the address is of memory that devices have, of any kind.
bool isOfDevices(const void *address);

/// Whether memory of a pool begins there.
bool isPooled(const void *memory);
/// Frees memory of a pool; false if it is none.
bool freePooled(void *memory, cudaError_t &error);

/// What was done that CUDA forgives or does not notice, and that may harm: ""
/// or the first such thing since the last question.
std::string misuse();

/// Pieces, ranges and mappings of cuMem* that this process has.
size_t numVirtual();

} // namespace blink::test

#endif // BLINK_TEST_EMULATION_VIRTUALMEMORY_H
