//===- Multicast.cpp - multicast objects, emulated ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// As strict as CUDA's manual: an object's devices are added before its memory,
// each device binds memory of its own, and addresses of the object are valid
// only for `multimem` instructions. Calls for which CUDA would wait, perhaps
// forever, fail here. Processes share an object through its file
// (VirtualMemory.cpp).
//
//===----------------------------------------------------------------------===//

#include "test/emulation/Multicast.h"

#include "test/emulation/CudaRuntime.h"
#include "test/emulation/VirtualMemory.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

using blink::test::numDevicesIn;
using blink::test::ObjectState;
using blink::test::ObjectView;
using blink::test::viewObject;

namespace {

[[noreturn]] void wrong(const char *what, const char *address) {
  std::fprintf(stderr, "emulated multimem at %p: %s\n",
               static_cast<const void *>(address), what);
  std::abort();
}

} // namespace

static std::atomic<uint64_t> multicasts{0};

/// Relaxed: tests compare the numbers before and after a job's calls.
uint64_t blink::test::numMulticasts() {
  return multicasts.load(std::memory_order_relaxed);
}

std::vector<char *> blink::test::multicastParts(const char *address) {
  multicasts.fetch_add(1, std::memory_order_relaxed);
  ObjectView object;
  size_t offset;
  if (!findObject(address, object, offset))
    wrong("no multicast object is mapped there", address);
  if (offset % 16 != 0)
    wrong("not aligned to 16 bytes", address);
  const uint64_t bound = object.state->bound;
  if (numDevicesIn(bound) != object.state->numDevices)
    wrong("a device has given no memory", address);
  std::vector<char *> parts;
  for (int device = 0; device < ObjectState::kMostDevices; ++device)
    if (bound >> device & 1)
      parts.push_back(object.parts + size_t(device) * object.bytes + offset);
  return parts;
}

CUresult cuMulticastGetGranularity(size_t *bytes, const CUmulticastObjectProp *,
                                   CUmulticastGranularity_flags) {
  FAIL_IF_INJECTED(CUresult)
  *bytes = blink::test::kVirtualGranularity;
  return CUDA_SUCCESS;
}

CUresult cuMulticastCreate(CUmemGenericAllocationHandle *handle,
                           const CUmulticastObjectProp *properties) {
  FAIL_IF_INJECTED(CUresult)
  if (properties->numDevices == 0 ||
      properties->numDevices > unsigned(ObjectState::kMostDevices) ||
      properties->size == 0 ||
      properties->size % blink::test::kVirtualGranularity != 0 ||
      properties->flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  return blink::test::makeObject(*properties, handle);
}

CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle handle,
                              CUdevice device) {
  FAIL_IF_INJECTED(CUresult)
  ObjectView object;
  if (!viewObject(handle, object))
    return CUDA_ERROR_INVALID_VALUE;
  if (!blink::test::reaches(device, device))
    return CUDA_ERROR_INVALID_DEVICE;
  const uint64_t own = uint64_t(1) << device;
  uint64_t before = object.state->added;
  do {
    if ((before & own) != 0 || numDevicesIn(before) == object.state->numDevices)
      return CUDA_ERROR_INVALID_VALUE;
  } while (!object.state->added.compare_exchange_weak(before, before | own));
  return CUDA_SUCCESS;
}

CUresult cuMulticastBindMem(CUmemGenericAllocationHandle handle,
                            size_t objectOffset,
                            CUmemGenericAllocationHandle memory,
                            size_t memoryOffset, size_t bytes,
                            unsigned long long flags) {
  FAIL_IF_INJECTED(CUresult)
  ObjectView object;
  int device;
  if (!viewObject(handle, object) || objectOffset != 0 || memoryOffset != 0 ||
      bytes != object.bytes || flags != 0 ||
      numDevicesIn(object.state->added) != object.state->numDevices ||
      !blink::test::movePiece(memory, handle, device))
    return CUDA_ERROR_INVALID_VALUE;
  object.state->bound |= uint64_t(1) << device;
  return CUDA_SUCCESS;
}

CUresult cuMulticastUnbind(CUmemGenericAllocationHandle handle, CUdevice device,
                           size_t offset, size_t bytes) {
  ObjectView object;
  const uint64_t own = uint64_t(1) << device;
  if (!viewObject(handle, object) || offset != 0 || bytes != object.bytes ||
      (object.state->bound.fetch_and(~own) & own) == 0)
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}
