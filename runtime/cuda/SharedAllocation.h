//===- SharedAllocation.h - GPU memory for other processes ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// CUDA has three kinds of GPU memory. Each is shared with other processes, and
// opened to other devices, in its own way.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_SHAREDALLOCATION_H
#define BLINK_RUNTIME_CUDA_SHAREDALLOCATION_H

#include "runtime/cuda/DeviceMemory.h"
#include "runtime/cuda/Driver.h"
#include "runtime/job/FileOffer.h"

#include <vector>

namespace blink::runtime {

/// A description by which another process maps a buffer.
struct SharedNote {
  enum Kind : uint64_t {
    ipc,   ///< cudaMalloc's memory: by a handle
    pool,  ///< of a memory pool: by the pool's file and a pointer's export data
    pieces ///< mapped (cuMemMap): by a file or handle of each piece
  };
  Kind kind;
  /// The number of files to ask for: one for each piece, or 1 for a pool.
  uint64_t files;
  uint64_t bytes;  ///< bytes of all pieces
  uint64_t offset; ///< of the buffer in the shared memory
  char handle[64];
  OfferKey key; ///< key of the files
};

/// The memory that a buffer of this process lies in.
class SharedAllocation {
public:
  /// Errors: invalid argument if the buffer does not lie entirely in a GPU's
  /// memory.
  static Status find(const void *buffer, size_t bytes,
                     SharedAllocation &allocation);

  /// Lets device `device` of this process read and write the memory for as long
  /// as the memory lives. For cudaMalloc's memory peer access suffices.
  Status openTo(int device) const;

  /// Describes in `note` how other processes map the memory; they can while
  /// `files` lives.
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
  std::vector<Piece> pieces_; ///< one, except for mapped memory
};

/// Maps what another process shares for the current device, for reading and
/// writing; `memory` begins at the buffer. Errors: CUDA's; remote error if the
/// files do not arrive by `deadline`.
Status mapShared(const SharedNote &note,
                 std::chrono::steady_clock::time_point deadline,
                 std::shared_ptr<char> &memory);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_SHAREDALLOCATION_H
