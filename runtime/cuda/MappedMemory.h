//===- MappedMemory.h - memory at addresses of one's own --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// CUDA's virtual memory: pieces of memory, each with a handle, are mapped into
// a range of addresses, which is then opened to devices one by one.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_MAPPEDMEMORY_H
#define BLINK_RUNTIME_CUDA_MAPPEDMEMORY_H

#include "runtime/cuda/Driver.h"

#include <vector>

namespace blink::runtime {

/// A reference to a piece of memory, released in the destructor.
class AllocationHandle {
public:
  AllocationHandle() = default;
  AllocationHandle(const AllocationHandle &) = delete;
  ~AllocationHandle() {
    if (held_)
      driver().cuMemRelease(handle_);
  }
  /// Calls a function that sets a handle and returns a result.
  template <typename Get> CUresult take(Get get) {
    const CUresult result = get(&handle_);
    held_ = result == CUDA_SUCCESS;
    return result;
  }
  CUmemGenericAllocationHandle get() const { return handle_; }

private:
  CUmemGenericAllocationHandle handle_ = 0;
  bool held_ = false;
};

/// A range of addresses and what is mapped there, unmapped in the destructor.
class MappedMemory {
public:
  MappedMemory() = default;
  MappedMemory(const MappedMemory &) = delete;
  ~MappedMemory();

  /// To be called first: reserves addresses for `bytes`, a multiple of the
  /// granularity of all pieces.
  CUresult reserve(size_t bytes);
  /// Maps a piece behind the previous one. The piece lives as long as it is
  /// mapped.
  CUresult add(const AllocationHandle &piece, size_t bytes);
  /// To be called last: lets a device read and write all of it.
  CUresult openTo(int device);

  char *begin() const { return reinterpret_cast<char *>(begin_); }

private:
  size_t mappedBytes() const;

  CUdeviceptr begin_ = 0;
  size_t bytes_ = 0;
  std::vector<size_t> pieces_; ///< bytes of each piece
};

/// Read and write access from a device.
CUmemAccessDesc accessOf(int device);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_MAPPEDMEMORY_H
