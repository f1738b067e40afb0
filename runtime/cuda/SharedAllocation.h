//===- SharedAllocation.h - GPU memory for other processes ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// CUDA knows three kinds of memory of a GPU, and each is shared with other
// processes, and opened to other devices, in a way of its own.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_SHAREDALLOCATION_H
#define BLINK_RUNTIME_CUDA_SHAREDALLOCATION_H

#include "runtime/cuda/DeviceMemory.h"
#include "runtime/cuda/Driver.h"
#include "runtime/job/FileOffer.h"

#include <vector>

namespace blink::runtime {

/// How another process maps a buffer, in words that mean something there.
struct SharedNote {
  enum Kind : uint64_t {
    ipc,   ///< cudaMalloc's: by a handle
    pool,  ///< of a memory pool: by the pool's file and a pointer's data
    pieces ///< mapped (cuMemMap): by a file or handle of each piece
  };
  Kind kind;
  uint64_t files;  ///< to be asked for: pieces, or 1 of a pool
  uint64_t bytes;  ///< of all pieces
  uint64_t offset; ///< of the buffer in what is shared
  char handle[64];
  OfferKey key; ///< of the files
};

/// The memory that a buffer of this process is in.
class SharedAllocation {
public:
  /// Errors: invalid argument if it is no memory of a GPU, or not all of it.
  static Status find(const void *buffer, size_t bytes,
                     SharedAllocation &allocation);

  /// Lets device `device` of this process read and write it, for as long as it
  /// lives. cudaMalloc's needs peer access and no more.
  Status openTo(int device) const;

  /// Tells how other processes map it: while `files` lives.
  Status share(FileOffer &files, SharedNote &note) const;

private:
  struct Piece {
    CUdeviceptr begin = 0;
    size_t bytes = 0;
  };

  Status findPieces(CUdeviceptr buffer, size_t bytes);
  Status sharePool(FileOffer &files, SharedNote &note) const;
  Status sharePieces(FileOffer &files, SharedNote &note) const;

  SharedNote::Kind kind_ = SharedNote::ipc;
  uint64_t offset_ = 0;
  cudaMemPool_t pool_ = nullptr;
  std::vector<Piece> pieces_; ///< one, but for mapped memory
};

/// Maps what another process shares for the device that is current, to read and
/// to write; `memory` is where the buffer begins. Errors: CUDA's; remote error
/// if its files do not come by `deadline`.
Status mapShared(const SharedNote &note,
                 std::chrono::steady_clock::time_point deadline,
                 std::shared_ptr<char> &memory);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_SHAREDALLOCATION_H
