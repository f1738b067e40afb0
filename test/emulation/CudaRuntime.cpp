//===- CudaRuntime.cpp - CUDA's runtime on host threads -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Devices and their memory, which is of files. Enough of CUDA's semantics for
// what the back end relies on, and no kinder where CUDA is strict. Streams are
// in Streams.cpp.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/CudaRuntime.h"

#include "runtime/cuda/DeviceMemory.h"
#include "runtime/job/ProcessWatch.h"
#include "test/emulation/Calls.h"
#include "test/emulation/Emulation.h"
#include "test/emulation/Streams.h"
#include "test/emulation/VirtualMemory.h"

#include <algorithm>
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
#include <thread>
#include <unistd.h>
#include <vector>

using namespace blink::test;

namespace {

bool areJoined(int device, int other) {
  return (device < emulatedMachine.peerBorder) ==
         (other < emulatedMachine.peerBorder);
}

/// Who has mapped a piece of another process, behind the piece.
struct Mappers {
  std::atomic<int> processes[256];

  /// The place of this process's mapping.
  std::atomic<int> *add() {
    for (std::atomic<int> &process : processes)
      if (int none = 0; process.compare_exchange_strong(none, int(getpid())))
        return &process;
    std::abort();
  }
  /// A process that has it mapped and lives, or 0.
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

/// Pieces of memory, all behind files, so that other processes can map them.
class Memory {
public:
  cudaError_t allocate(void **memory, size_t bytes, bool onHost) {
    const int file = memfd_create("emulated GPU memory", MFD_CLOEXEC);
    if (file < 0 ||
        ftruncate(file, off_t(mappersOffset(bytes) + sizeof(Mappers))) != 0)
      return cudaErrorMemoryAllocation;
    const cudaError_t error = map(memory, file, bytes, false, onHost);
    if (error == cudaSuccess) // not zero: nobody may rely on that
      std::memset(*memory, 0xcd, bytes);
    return error;
  }

  cudaError_t map(void **memory, int file, size_t bytes, bool ofAnother,
                  bool onHost = false) {
    const size_t offset = mappersOffset(bytes);
    *memory = mmap(nullptr, offset + sizeof(Mappers), PROT_READ | PROT_WRITE,
                   MAP_SHARED, file, 0);
    if (*memory == MAP_FAILED)
      return cudaErrorMemoryAllocation;
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

  /// Frees a piece of this process, or unmaps one of another.
  cudaError_t free(void *memory, bool ofAnother) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = pieces_.find(memory);
    if (found == pieces_.end())
      return memory ? cudaErrorInvalidValue : cudaSuccess;
    if (ofAnother != bool(found->second.mapping))
      return cudaErrorInvalidValue;
    if (ofAnother)
      *found->second.mapping = 0;
    else if (const int process = found->second.mappers->user()) {
      // With CUDA it is undefined what happens.
      std::fprintf(stderr, "process %d has mapped memory that is freed\n",
                   process);
      std::abort();
    }
    munmap(memory, mappersOffset(found->second.bytes) + sizeof(Mappers));
    close(found->second.file);
    pieces_.erase(found);
    return cudaSuccess;
  }

  /// Where the piece is that begins at `memory`; -1: nowhere.
  int deviceOf(void *memory) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = pieces_.find(memory);
    return found == pieces_.end() ? -1 : found->second.device;
  }

  /// The piece that `address` is in; false if there is none.
  bool find(const void *address, EmulatedPiece &found) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto &[begin, piece] : pieces_)
      if (address >= begin &&
          address < static_cast<const char *>(begin) + piece.bytes) {
        found = {static_cast<const char *>(begin), piece.bytes, piece.device,
                 piece.onHost};
        return true;
      }
    return false;
  }

  /// By which another process finds it: "process file device bytes".
  cudaError_t handle(void *memory, char *text, size_t size) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = pieces_.find(memory);
    if (found == pieces_.end() || found->second.onHost)
      return cudaErrorInvalidValue;
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
    std::atomic<int> *mapping; ///< if of another process
    bool onHost;
  };
  std::mutex mutex_;
  std::map<void *, Piece> pieces_;
};

Memory &memories() {
  static Memory memory;
  return memory;
}

} // namespace

bool blink::test::reaches(int device, int other) {
  return isDevice(device) && isDevice(other) && areJoined(device, other);
}
bool blink::test::findPiece(const void *address, EmulatedPiece &piece) {
  return memories().find(address, piece);
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device) {
  if (!isDevice(device))
    return cudaErrorInvalidDevice;
  const std::vector<int> &buses = emulatedMachine.buses;
  const int bus =
      size_t(device) < buses.size() ? buses[size_t(device)] : device + 1;
  std::memset(text, 0, size_t(size));
  std::snprintf(text, size_t(size), "0000:%02X:00.0", unsigned(bus));
  return enter(__func__, kNothing);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
  char address[32];
  const cudaError_t error =
      cudaDeviceGetPCIBusId(address, sizeof(address), device);
  if (error == cudaSuccess) // as unique as that
    std::memcpy(properties->uuid.bytes, address,
                sizeof(properties->uuid.bytes));
  return error;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  if (!isDevice(device) || !isDevice(peer) || device == peer)
    return cudaErrorInvalidDevice;
  *can = areJoined(device, peer);
  return enter(__func__, kNothing);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  if (error != cudaSuccess)
    return error;
  makeContext(peer);
  static std::mutex mutex;
  static std::map<std::pair<int, int>, bool> enabled;
  std::lock_guard<std::mutex> lock(mutex);
  bool &pair = enabled[{currentDevice(), peer}];
  if (pair)
    return cudaErrorPeerAccessAlreadyEnabled;
  int peers = 0;
  for (const auto &[devices, are] : enabled)
    peers += are && devices.first == currentDevice();
  if (peers >= emulatedMachine.mostPeers)
    return cudaErrorTooManyPeers;
  pair = true;
  return cudaSuccess;
}

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
  return memories().free(memory, false);
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  return error == cudaSuccess ? memories().allocate(memory, bytes, true)
                              : error;
}

cudaError_t cudaFreeHost(void *memory) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  return error == cudaSuccess ? memories().free(memory, false) : error;
}

cudaError_t cudaHostRegister(void *, size_t, unsigned) {
  return enter(__func__, kContext | kNoCapture);
}

cudaError_t cudaHostUnregister(void *) {
  return enter(__func__, kContext | kNoCapture);
}

cudaError_t cudaHostGetDevicePointer(void **there, void *memory, unsigned) {
  *there = static_cast<char *>(memory) + emulatedMachine.hostOffset;
  return enter(__func__, kContext);
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
    return cudaErrorDeviceUninitialized; // as CUDA puts it
  if (!areJoined(currentDevice(), device))
    return cudaErrorPeerAccessUnsupported;
  const std::string path =
      "/proc/" + std::to_string(process) + "/fd/" + std::to_string(file);
  const int own = open(path.c_str(), O_RDWR | O_CLOEXEC);
  return own < 0 ? cudaErrorInvalidValue
                 : memories().map(memory, own, bytes, true);
}

cudaError_t cudaIpcCloseMemHandle(void *memory) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  return error == cudaSuccess ? memories().free(memory, true) : error;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  // The host's, which all devices share.
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  *free = size_t(sysconf(_SC_AVPHYS_PAGES)) * page;
  *total = size_t(sysconf(_SC_PHYS_PAGES)) * page;
  return enter(__func__, kContext);
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  return error == cudaSuccess ? cudaMemsetAsync(memory, value, bytes, nullptr)
                              : error;
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes,
                            cudaStream_t stream) {
  const cudaError_t error = enter(__func__, kContext);
  return error == cudaSuccess
             ? enqueue(stream, [=] { std::memset(memory, value, bytes); })
             : error;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       cudaMemcpyKind) {
  cudaError_t error = enter(__func__, kContext | kNoCapture);
  // The end of ordinary memory, from a buffer of the driver's, may be on its
  // way still when this returns.
  constexpr size_t kBuffer = 64 << 10;
  const bool toDevice = isOfDevices(to) && !isOfDevices(from);
  const size_t late = toDevice ? std::min(bytes, kBuffer) : 0;
  const char *end = static_cast<const char *>(from) + bytes;
  if (error == cudaSuccess)
    error = enqueue(nullptr, [=] { std::memcpy(to, from, bytes - late); });
  if (error == cudaSuccess)
    error = streamOf(nullptr).drain();
  if (error == cudaSuccess && late != 0)
    error = enqueue(nullptr, [end = static_cast<char *>(to) + bytes,
                              buffer = std::vector<char>(end - late, end),
                              delay = emulatedMachine.copyDelay] {
      std::this_thread::sleep_for(delay);
      std::memcpy(end - buffer.size(), buffer.data(), buffer.size());
    });
  return error;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            cudaMemcpyKind, cudaStream_t stream) {
  const cudaError_t error = enter(__func__, kContext);
  return error == cudaSuccess ? enqueue(stream,
                                        [=, delay = emulatedMachine.copyDelay] {
                                          std::this_thread::sleep_for(delay);
                                          std::memcpy(to, from, bytes);
                                        })
                              : error;
}
