//===- CudaRuntime.cpp - CUDA's runtime on host threads -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The memory of devices, which consists of files, and of the host. Implements
// as much of CUDA's semantics as the back end and the test programs rely on,
// and is as strict as CUDA is.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/CudaRuntime.h"

#include "runtime/job/ProcessWatch.h"
#include "test/emulation/Calls.h"
#include "test/emulation/Emulation.h"
#include "test/emulation/Streams.h"
#include "test/emulation/VirtualMemory.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace blink::test;

#if defined(__SANITIZE_THREAD__)
extern "C" { // no header declares them
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
}
#endif

namespace {

/// The processes that have mapped a piece of another process; stored after the
/// piece.
struct Mappers {
  std::atomic<int> processes[256];

  /// Enters this process and returns its place.
  std::atomic<int> *add() {
    for (std::atomic<int> &process : processes)
      if (int none = 0; process.compare_exchange_strong(none, int(getpid())))
        return &process;
    std::abort();
  }
  /// Returns a living process that has the piece mapped, or 0.
  int user() const {
    for (const std::atomic<int> &process : processes) {
      const int number = process;
      if (number == 0)
        continue;
      blink::runtime::ProcessWatch watch;
      watch.start(uint64_t(number));
      if (!watch.died() && kill(number, 0) == 0)
        return number;
    }
    return 0;
  }
};

size_t mappersOffset(size_t bytes) {
  return (bytes + alignof(Mappers) - 1) / alignof(Mappers) * alignof(Mappers);
}

/// Fills new memory with anything but zeros, which no program may rely on.
/// ThreadSanitizer ignores these writes: it need not record one for every eight
/// bytes, and a device would not write there.
void makeDirty(void *memory, size_t bytes) {
#if defined(__SANITIZE_THREAD__)
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
#endif
  std::memset(memory, 0xcd, bytes);
#if defined(__SANITIZE_THREAD__)
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
#endif
}

/// Pieces of memory, all backed by files so that other processes can map them.
class Memory {
public:
  cudaError_t allocate(void **memory, size_t bytes, bool onHost) {
    *memory = nullptr;
    if (bytes == 0)
      return cudaSuccess;
    if (bytes > freeBytes())
      return failed(cudaErrorMemoryAllocation);
    const int file = memfd_create("emulated GPU memory", MFD_CLOEXEC);
    if (file < 0 ||
        ftruncate(file, off_t(mappersOffset(bytes) + sizeof(Mappers))) != 0)
      return failed(cudaErrorMemoryAllocation);
    const cudaError_t error = map(memory, file, bytes, false, onHost);
    if (error == cudaSuccess)
      makeDirty(*memory, bytes);
    return error;
  }

  cudaError_t map(void **memory, int file, size_t bytes, bool ofAnother,
                  bool onHost = false) {
    const size_t offset = mappersOffset(bytes);
    *memory = mmap(nullptr, offset + sizeof(Mappers), PROT_READ | PROT_WRITE,
                   MAP_SHARED, file, 0);
    if (*memory == MAP_FAILED)
      return failed(cudaErrorMemoryAllocation);
    auto *mappers =
        reinterpret_cast<Mappers *>(static_cast<char *>(*memory) + offset);
    std::lock_guard<std::mutex> lock(mutex_);
    pieces_[*memory] = {file,
                        currentDevice(),
                        bytes,
                        mappers,
                        ofAnother ? mappers->add() : nullptr,
                        onHost};
    return cudaSuccess;
  }

  /// Frees a piece of this process, or unmaps one of another process.
  cudaError_t free(void *memory, bool onHost, bool ofAnother) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = pieces_.find(memory);
    if (found == pieces_.end())
      return memory ? failed(cudaErrorInvalidValue) : cudaSuccess;
    if (ofAnother != bool(found->second.mapping) ||
        onHost != found->second.onHost)
      return failed(cudaErrorInvalidValue);
    drop(found);
    return cudaSuccess;
  }
  /// Frees all pieces of a device, as the end of the device does.
  void freeAll(int device) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto piece = pieces_.begin(); piece != pieces_.end();)
      piece = piece->second.device == device ? drop(piece) : std::next(piece);
  }

  /// Returns the device of the piece that begins at `memory`, or -1 if there is
  /// none.
  int deviceOf(void *memory) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = pieces_.find(memory);
    return found == pieces_.end() ? -1 : found->second.device;
  }

  /// Finds the piece that contains `address`. Returns false if there is none.
  bool find(const void *address, EmulatedPiece &found) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto next = pieces_.upper_bound(const_cast<void *>(address));
    if (next == pieces_.begin())
      return false;
    const auto &[begin, piece] = *std::prev(next);
    found = {static_cast<const char *>(begin), piece.bytes, piece.device,
             piece.onHost};
    return static_cast<const char *>(address) < found.begin + found.bytes;
  }

  /// Writes the handle by which another process finds the piece: "process file
  /// device bytes".
  cudaError_t handle(void *memory, char *text, size_t size) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = pieces_.find(memory);
    if (found == pieces_.end() || found->second.onHost)
      return failed(cudaErrorInvalidValue);
    std::snprintf(text, size, "%d %d %d %zu", int(getpid()), found->second.file,
                  found->second.device, found->second.bytes);
    return cudaSuccess;
  }

private:
  struct Piece {
    int file;
    int device;
    size_t bytes;
    Mappers *mappers;
    std::atomic<int> *mapping; ///< for a piece of another process
    bool onHost;
  };
  using Pieces = std::map<void *, Piece>;

  /// Frees a piece; returns the next one.
  Pieces::iterator drop(Pieces::iterator piece) {
    const auto &[memory, what] = *piece;
    if (what.mapping)
      *what.mapping = 0;
    else if (const int process = what.mappers->user()) {
      // With CUDA this is undefined behaviour.
      std::fprintf(stderr, "process %d has mapped memory that is freed\n",
                   process);
      std::abort();
    }
    munmap(memory, mappersOffset(what.bytes) + sizeof(Mappers));
    close(what.file);
    return pieces_.erase(piece);
  }

  std::mutex mutex_;
  Pieces pieces_;
};

Memory &memories() {
  static Memory memory;
  return memory;
}

} // namespace

bool blink::test::findPiece(const void *address, EmulatedPiece &piece) {
  return memories().find(address, piece);
}
void blink::test::freeDevice(int device) { memories().freeAll(device); }

cudaError_t cudaMalloc(void **memory, size_t bytes) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  return error == cudaSuccess ? memories().allocate(memory, bytes, false)
                              : error;
}

cudaError_t cudaFree(void *memory) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  if (error != cudaSuccess)
    return error;
  cudaError_t pooled;
  if (freePooled(memory, pooled))
    return pooled;
  drainDevice(memories().deviceOf(memory));
  return memories().free(memory, false, false);
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  return error == cudaSuccess ? memories().allocate(memory, bytes, true)
                              : error;
}

cudaError_t cudaFreeHost(void *memory) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  return error == cudaSuccess ? memories().free(memory, true, false) : error;
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *memory) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  return error == cudaSuccess ? memories().handle(memory, handle->reserved,
                                                  sizeof(handle->reserved))
                              : error;
}

cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle,
                                 unsigned) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  if (error != cudaSuccess)
    return error;
  int process = 0, file = 0, device = 0;
  size_t bytes = 0;
  std::sscanf(handle.reserved, "%d %d %d %zu", &process, &file, &device,
              &bytes);
  if (process == getpid())
    return failed(cudaErrorDeviceUninitialized); // CUDA's error for this
  if (!reaches(currentDevice(), device))
    return failed(cudaErrorPeerAccessUnsupported);
  const std::string path =
      "/proc/" + std::to_string(process) + "/fd/" + std::to_string(file);
  const int own = open(path.c_str(), O_RDWR | O_CLOEXEC);
  return own < 0 ? failed(cudaErrorInvalidValue)
                 : memories().map(memory, own, bytes, true);
}

cudaError_t cudaIpcCloseMemHandle(void *memory) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  return error == cudaSuccess ? memories().free(memory, false, true) : error;
}
