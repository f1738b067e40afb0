//===- MappedMemory.cpp - memory at addresses of one's own ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/MappedMemory.h"

#include <numeric>

namespace blink::runtime {

MappedMemory::~MappedMemory() {
  CUdeviceptr next = begin_;
  for (size_t bytes : pieces_) {
    driver().cuMemUnmap(next, bytes);
    next += bytes;
  }
  if (bytes_ != 0)
    driver().cuMemAddressFree(begin_, bytes_);
}

CUresult MappedMemory::reserve(size_t bytes) {
  const CUresult result = driver().cuMemAddressReserve(&begin_, bytes, 0, 0, 0);
  if (result == CUDA_SUCCESS)
    bytes_ = bytes;
  return result;
}

size_t MappedMemory::mappedBytes() const {
  return std::accumulate(pieces_.begin(), pieces_.end(), size_t(0));
}

CUresult MappedMemory::add(const AllocationHandle &piece, size_t bytes) {
  const size_t before = mappedBytes();
  if (bytes > bytes_ - before)
    return CUDA_ERROR_INVALID_VALUE;
  const CUresult result =
      driver().cuMemMap(begin_ + before, bytes, 0, piece.get(), 0);
  if (result == CUDA_SUCCESS)
    pieces_.push_back(bytes);
  return result;
}

CUresult MappedMemory::openTo(int device) {
  const CUmemAccessDesc access = accessOf(device);
  return driver().cuMemSetAccess(begin_, mappedBytes(), &access, 1);
}

CUmemAccessDesc accessOf(int device) {
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = device;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return access;
}

} // namespace blink::runtime
