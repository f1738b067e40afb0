//===- VirtualMemory.h - mapped memory and pools, emulated ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_EMULATION_VIRTUALMEMORY_H
#define BLINK_TEST_EMULATION_VIRTUALMEMORY_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <memory>
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

/// What sizes of mapped memory are multiples of.
inline constexpr size_t kVirtualGranularity = 2 << 20;

/// The failure that the current device's next call of `name` is to have; 0:
/// none.
int injected(const char *name);
#define FAIL_IF_INJECTED(Type)                                                 \
  if (auto error = Type(blink::test::injected(__func__)); error != 0)          \
    return error;

/// For Multicast.cpp: an object without memory, mapped like a piece of it, but
/// never accessible.
CUresult makeObject(size_t bytes, CUmemGenericAllocationHandle *handle);

/// A piece of memory as the emulation itself sees it.
struct MemoryView {
  int device = 0;
  size_t bytes = 0;
  std::shared_ptr<char> memory;
};
bool viewMemory(CUmemGenericAllocationHandle handle, MemoryView &view);

/// The object that is mapped at an address which some device may use.
bool findObject(const char *address, CUmemGenericAllocationHandle &handle,
                size_t &offset);

} // namespace blink::test

#endif // BLINK_TEST_EMULATION_VIRTUALMEMORY_H
