//===- Memory.cpp - the memory and the streams of a rank ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/storm/Memory.h"

#include <cstdlib>
#include <stdexcept>

#if BLINK_TEST_CUDA
#include "test/storm/CopyKernel.h"
#endif

namespace blink::storm {

#if BLINK_TEST_CUDA

namespace {

void must(cudaError_t error, const char *what) {
  if (error != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " +
                             cudaGetErrorString(error));
}
cudaStream_t cudaOf(blinkStream_t stream) {
  return reinterpret_cast<cudaStream_t>(stream);
}

} // namespace

Arena::Arena(size_t bytes, int device, bool)
    : size_(bytes), device_(device), ownMemory_(false) {
  const runtime::DeviceScope scope(device_);
  void *data = nullptr, *twin = nullptr;
  // Pinned, so that kernels can copy it; unified addressing gives it the same
  // address on the host and on devices.
  must(cudaHostAlloc(&data, size_, cudaHostAllocPortable | cudaHostAllocMapped),
       "cudaHostAlloc");
  data_ = static_cast<unsigned char *>(data);
  must(cudaMalloc(&twin, size_), "cudaMalloc");
  twin_ = static_cast<unsigned char *>(twin);
}
Arena::~Arena() {
  const runtime::DeviceScope scope(device_);
  cudaFree(twin_);
  cudaFreeHost(data_);
}

void Mark::set(blinkStream_t stream) {
  must(event_.record(cudaOf(stream)), "cudaEventRecord");
}
void Mark::wait() const { must(event_.synchronize(), "cudaEventSynchronize"); }

Streams::Streams(int device) : device_(device) {
  useDevice();
  must(prepareCopies(), "cannot load the kernel that copies");
  for (unsigned i = 0; i < kNumber; ++i) {
    cudaStream_t stream = nullptr;
    must(cudaStreamCreateWithFlags(&stream, i == 0 ? cudaStreamDefault
                                                   : cudaStreamNonBlocking),
         "cudaStreamCreate");
    streams_[i] = reinterpret_cast<blinkStream_t>(stream);
  }
}
Streams::~Streams() {
  useDevice();
  for (blinkStream_t stream : streams_)
    if (stream)
      cudaStreamDestroy(cudaOf(stream));
}
void Streams::useDevice() const {
  must(cudaSetDevice(device_), "cudaSetDevice");
}
void Streams::upload(Arena &arena, unsigned char *begin, size_t bytes,
                     blinkStream_t stream) const {
  must(launchCopy(arena.twin(begin), begin, bytes, cudaOf(stream)),
       "cannot launch a copy to the GPU");
}
void Streams::download(Arena &arena, unsigned char *begin, size_t bytes,
                       blinkStream_t stream) const {
  must(launchCopy(begin, arena.twin(begin), bytes, cudaOf(stream)),
       "cannot launch a copy from the GPU");
}

#else

Arena::Arena(size_t bytes, int device, bool ownMemory)
    : size_(bytes), device_(device), ownMemory_(ownMemory) {
  constexpr size_t kPage = 4096;
  void *memory = nullptr;
  if (!ownMemory_)
    memory = std::aligned_alloc(kPage, (size_ + kPage - 1) / kPage * kPage);
  else if (blinkMemAlloc(&memory, size_) != blinkSuccess)
    throw std::runtime_error(blinkGetLastError(nullptr));
  if (!memory)
    throw std::runtime_error("out of memory");
  data_ = twin_ = static_cast<unsigned char *>(memory);
}
Arena::~Arena() {
  if (ownMemory_)
    blinkMemFree(data_);
  else
    std::free(data_);
}

Streams::Streams(int device) : device_(device) {}
Streams::~Streams() = default;
void Streams::useDevice() const {}
void Streams::upload(Arena &, unsigned char *, size_t, blinkStream_t) const {}
void Streams::download(Arena &, unsigned char *, size_t, blinkStream_t) const {}

#endif

} // namespace blink::storm
