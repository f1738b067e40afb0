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

//===-- For Multicast.cpp -------------------------------------------------===//

/// What all processes that have a multicast object see of it. Devices are bits.
struct ObjectState {
  static constexpr int kMostDevices = 64;
  unsigned numDevices; ///< 0: none, but a piece of memory
  std::atomic<uint64_t> added;
  std::atomic<uint64_t> given; ///< have given it memory, once and for all
  std::atomic<uint64_t> bound; ///< of those, that have not taken it back
};

inline unsigned numDevicesIn(uint64_t bits) {
  return unsigned(__builtin_popcountll(bits));
}

/// An object as this process has it. `parts` has room for memory of each
/// device, side by side, and outlives the processes that have bound it.
struct ObjectView {
  ObjectState *state = nullptr;
  size_t bytes = 0;
  char *parts = nullptr;
};

/// An object without memory, mapped like a piece of it, but never accessible.
CUresult makeObject(const CUmulticastObjectProp &properties,
                    CUmemGenericAllocationHandle *handle);
bool viewObject(CUmemGenericAllocationHandle handle, ObjectView &view);
/// Moves a piece of memory, with what is in it, to where `object` has that of
/// its device, if it is of such a kind, and says which device.
bool movePiece(CUmemGenericAllocationHandle piece,
               CUmemGenericAllocationHandle object, int &device);
/// The object that is mapped at an address which some device may use.
bool findObject(const char *address, ObjectView &view, size_t &offset);

} // namespace blink::test

#endif // BLINK_TEST_EMULATION_VIRTUALMEMORY_H
