//===- SwitchMemory.cpp - memory that a switch reads and writes -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The order is the one that CUDA requires: the object, all its devices, then
// memory and addresses.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/SwitchMemory.h"

#include "runtime/cuda/DeviceMemory.h"

#include <algorithm>

namespace blink::runtime {

SwitchMemory::~SwitchMemory() {
  for (const std::unique_ptr<Part> &part : parts_)
    if (part->bound)
      driver().cuMulticastUnbind(object_.get(), part->device, 0, bytes_);
}

/// The kind of handle by which processes share objects.
static constexpr auto kFile = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

/// Returns the properties of a part's memory. A shared object accepts only
/// memory that can be shared itself.
static CUmemAllocationProp onDevice(int device, bool shared) {
  CUmemAllocationProp properties{};
  if (shared)
    properties.requestedHandleTypes = kFile;
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = accessOf(device).location;
  return properties;
}

/// Adds a device to the object.
Status SwitchMemory::addPart(int device) {
  parts_.push_back(std::make_unique<Part>());
  Part &part = *parts_.back();
  CUresult result = driver().cuDeviceGet(&part.device, device);
  if (result == CUDA_SUCCESS)
    result = driver().cuMulticastAddDevice(object_.get(), part.device);
  return driverStatus(result,
                      "GPU " + std::to_string(device) + " cannot multicast");
}

/// Binds memory of a part's device to the object, and maps it for that device.
Status SwitchMemory::bind(Part &part) {
  const CUmemAllocationProp properties = onDevice(part.device, shared_);
  CUresult result = part.piece.take([&](CUmemGenericAllocationHandle *handle) {
    return driver().cuMemCreate(handle, bytes_, &properties, 0);
  });
  if (result == CUDA_SUCCESS)
    result = part.memory.reserve(bytes_);
  if (result == CUDA_SUCCESS)
    result = part.memory.add(part.piece, bytes_);
  if (result == CUDA_SUCCESS)
    result = part.memory.openTo(part.device);
  if (result == CUDA_SUCCESS)
    result = driver().cuMulticastBindMem(object_.get(), 0, part.piece.get(), 0,
                                         bytes_, 0);
  part.bound = result == CUDA_SUCCESS;
  return driverStatus(result, "no memory of GPU " +
                                  std::to_string(part.device) +
                                  " for a multicast object");
}

Status SwitchMemory::makeObject(int device, size_t numDevices, size_t bytes,
                                bool shared) {
  shared_ = shared;
  CUmulticastObjectProp object{};
  object.numDevices = unsigned(numDevices);
  object.size = bytes;
  object.handleTypes = shared ? kFile : 0;
  // The recommended granularity may be many times what a schedule needs.
  size_t granule = 0, pieceGranule = 0;
  CUresult result = driver().cuMulticastGetGranularity(
      &granule, &object, CU_MULTICAST_GRANULARITY_MINIMUM);
  const CUmemAllocationProp properties = onDevice(device, shared);
  if (result == CUDA_SUCCESS)
    result = driver().cuMemGetAllocationGranularity(
        &pieceGranule, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  if (result == CUDA_SUCCESS) {
    granule = std::max(granule, pieceGranule); // both are powers of two
    object.size = bytes_ = (bytes + granule - 1) / granule * granule;
    result = object_.take([&](CUmemGenericAllocationHandle *handle) {
      return driver().cuMulticastCreate(handle, &object);
    });
  }
  return driverStatus(result, "no multicast object");
}

Status SwitchMemory::import(const Descriptor &file, size_t bytes) {
  shared_ = true;
  bytes_ = bytes;
  void *handle = reinterpret_cast<void *>(uintptr_t(file.get()));
  return driverStatus(object_.take([&](CUmemGenericAllocationHandle *taken) {
    return driver().cuMemImportFromShareableHandle(taken, handle, kFile);
  }),
                      "cannot use another process's multicast object");
}

Status SwitchMemory::exportTo(Descriptor &file) const {
  int number = -1;
  const CUresult result =
      driver().cuMemExportToShareableHandle(&number, object_.get(), kFile, 0);
  if (result == CUDA_SUCCESS)
    file = Descriptor(number);
  return driverStatus(result, "the multicast object cannot be shared");
}

Status SwitchMemory::add(const std::vector<int> &devices) {
  Status status;
  for (size_t i = 0; status.ok() && i < devices.size(); ++i)
    status = addPart(devices[i]);
  return status;
}

Status SwitchMemory::bind() {
  Status status;
  for (size_t i = 0; status.ok() && i < parts_.size(); ++i)
    status = bind(*parts_[i]);
  return status.ok() ? mapAll() : status;
}

Status SwitchMemory::mapAll() {
  all_ = std::make_unique<MappedMemory>();
  CUresult result = all_->reserve(bytes_);
  if (result == CUDA_SUCCESS)
    result = all_->add(object_, bytes_);
  for (size_t i = 0; result == CUDA_SUCCESS && i < parts_.size(); ++i)
    result = all_->openTo(parts_[i]->device);
  return driverStatus(result, "no addresses for a multicast object");
}

Status SwitchMemory::create(const std::vector<int> &devices, size_t bytes) {
  Status status = makeObject(devices[0], devices.size(), bytes, false);
  if (status.ok())
    status = add(devices);
  return status.ok() ? bind() : status;
}

Status canMulticast(int device) {
  int can = 0;
  CUdevice number = 0;
  CUresult result = driver().cuDeviceGet(&number, device);
  if (result == CUDA_SUCCESS)
    result = driver().cuDeviceGetAttribute(
        &can, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, number);
  if (result != CUDA_SUCCESS || !can)
    return {blinkInvalidUsage, "GPU ", device,
            " cannot multicast through a switch"};
  return {};
}

} // namespace blink::runtime
