//===- Multicast.cpp - multicast objects, emulated ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// As strict as CUDA's manual: an object's devices are added before its memory,
// each gives memory of its own, and addresses of the object are for nothing but
// `multimem` instructions.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/Multicast.h"

#include "test/emulation/CudaRuntime.h"
#include "test/emulation/VirtualMemory.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

namespace {

struct Object {
  unsigned numDevices;
  size_t bytes;
  std::set<int> devices;
  std::map<int, blink::test::MemoryView> bound; ///< by device
};

struct Objects {
  std::mutex mutex;
  std::map<CUmemGenericAllocationHandle, Object> all;
};
Objects &objects() {
  static Objects &objects = *new Objects; // threads may outlive main()
  return objects;
}

[[noreturn]] void wrong(const char *what, const char *address) {
  std::fprintf(stderr, "emulated multimem at %p: %s\n",
               static_cast<const void *>(address), what);
  std::abort();
}

} // namespace

static std::atomic<uint64_t> multicasts{0};

/// Relaxed: what is compared is what was before and after a job's calls.
uint64_t blink::test::numMulticasts() {
  return multicasts.load(std::memory_order_relaxed);
}

std::vector<char *> blink::test::multicastParts(const char *address) {
  multicasts.fetch_add(1, std::memory_order_relaxed);
  CUmemGenericAllocationHandle handle;
  size_t offset;
  if (!findObject(address, handle, offset))
    wrong("no multicast object is mapped there", address);
  if (offset % 16 != 0)
    wrong("not aligned to 16 bytes", address);
  std::lock_guard<std::mutex> lock(objects().mutex);
  const Object &object = objects().all.at(handle);
  if (object.bound.size() != object.numDevices)
    wrong("a device has given no memory", address);
  std::vector<char *> parts;
  for (const auto &[device, view] : object.bound)
    parts.push_back(view.memory.get() + offset);
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
  if (properties->numDevices == 0 || properties->size == 0 ||
      properties->size % blink::test::kVirtualGranularity != 0 ||
      properties->handleTypes != 0 || properties->flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = blink::test::makeObject(properties->size, handle);
  if (result != CUDA_SUCCESS)
    return result;
  std::lock_guard<std::mutex> lock(objects().mutex);
  objects().all[*handle] = {properties->numDevices, properties->size, {}, {}};
  return CUDA_SUCCESS;
}

CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle handle,
                              CUdevice device) {
  FAIL_IF_INJECTED(CUresult)
  std::lock_guard<std::mutex> lock(objects().mutex);
  const auto object = objects().all.find(handle);
  if (object == objects().all.end() ||
      object->second.devices.size() == object->second.numDevices ||
      !object->second.devices.insert(device).second)
    return CUDA_ERROR_INVALID_VALUE;
  return blink::test::reaches(device, device) ? CUDA_SUCCESS
                                              : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuMulticastBindMem(CUmemGenericAllocationHandle handle,
                            size_t objectOffset,
                            CUmemGenericAllocationHandle memory,
                            size_t memoryOffset, size_t bytes,
                            unsigned long long flags) {
  FAIL_IF_INJECTED(CUresult)
  blink::test::MemoryView view;
  if (!blink::test::viewMemory(memory, view))
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(objects().mutex);
  const auto object = objects().all.find(handle);
  // All of the object at once: nobody asks for parts.
  if (object == objects().all.end() || objectOffset != 0 || memoryOffset != 0 ||
      bytes != object->second.bytes || bytes > view.bytes || flags != 0 ||
      object->second.devices.size() != object->second.numDevices ||
      object->second.devices.count(view.device) == 0 ||
      object->second.bound.count(view.device) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  object->second.bound[view.device] = view;
  return CUDA_SUCCESS;
}

CUresult cuMulticastUnbind(CUmemGenericAllocationHandle handle, CUdevice device,
                           size_t offset, size_t bytes) {
  std::lock_guard<std::mutex> lock(objects().mutex);
  const auto object = objects().all.find(handle);
  if (object == objects().all.end() || offset != 0 ||
      bytes != object->second.bytes || object->second.bound.erase(device) == 0)
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}
