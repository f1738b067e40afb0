//===- VirtualMemory.h - mapped memory and pools, emulated ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_EMULATION_VIRTUALMEMORY_H
#define BLINK_TEST_EMULATION_VIRTUALMEMORY_H

#include <atomic>
#include <cstdint>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <memory>
#include <string>

namespace blink::test {

/// Whether the address lies in device memory of any kind.
bool isOfDevices(const void *address);

/// Whether memory of a pool begins at this address.
bool isPooled(const void *memory);
/// Frees memory of a pool. Returns false if it is not memory of a pool.
bool freePooled(void *memory, cudaError_t &error);

/// Returns the first harmful action since the last question that CUDA would
/// tolerate or not notice, or "".
std::string misuse();

/// Returns the number of cuMem* pieces, ranges and mappings of this process.
size_t numVirtual();

/// Sizes of mapped memory are multiples of this number of bytes.
inline constexpr size_t kVirtualGranularity = 2 << 20;

/// Returns the error that the current device's next call of `name` must have,
/// or 0.
int injected(const char *name);
#define FAIL_IF_INJECTED(Type)                                                 \
  if (auto error = Type(blink::test::injected(__func__)); error != 0)          \
    return error;

//===-- For Multicast.cpp -------------------------------------------------===//

/// The state of a multicast object that all processes share. Bit d stands for
/// device d.
struct ObjectState {
  static constexpr int kMostDevices = 64;
  unsigned numDevices; ///< 0: ordinary memory, not an object
  std::atomic<uint64_t> added;
  std::atomic<uint64_t> given; ///< have bound memory, which is final
  std::atomic<uint64_t> bound; ///< of those, the ones that have not unbound it
};

inline unsigned numDevicesIn(uint64_t bits) {
  return unsigned(__builtin_popcountll(bits));
}

/// This process's view of an object. `parts` has adjacent room for each
/// device's memory, and outlives the processes that have bound it.
struct ObjectView {
  ObjectState *state = nullptr;
  size_t bytes = 0;
  char *parts = nullptr;
};

/// Makes an object without memory. It can be mapped like a piece of memory but
/// is never accessible.
CUresult makeObject(const CUmulticastObjectProp &properties,
                    CUmemGenericAllocationHandle *handle);
bool viewObject(CUmemGenericAllocationHandle handle, ObjectView &view);
/// Moves a piece of memory with its contents to the place that `object` has for
/// the piece's device, and sets `device`. Returns false if the piece does not
/// fit.
bool movePiece(CUmemGenericAllocationHandle piece,
               CUmemGenericAllocationHandle object, int &device);
/// Finds the object mapped at an address that some device may use.
bool findObject(const char *address, ObjectView &view, size_t &offset);

} // namespace blink::test

#endif // BLINK_TEST_EMULATION_VIRTUALMEMORY_H
