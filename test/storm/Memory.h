//===- Memory.h - the memory and the streams of a rank ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// On the host, calls use the buffers in place and are over when they return. On
// GPUs each buffer has a twin in the GPU's memory; kernels in the stream of the
// call copy between the two (CopyKernel.h).
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_STORM_MEMORY_H
#define BLINK_TEST_STORM_MEMORY_H

#include "runtime/blink.h"

#include <cstddef>

#if BLINK_TEST_CUDA
#include "runtime/cuda/DeviceMemory.h"
#endif

namespace blink::storm {

/// Bytes on the host and their twin on the device. Throws std::runtime_error on
/// failure.
class Arena {
public:
  /// `ownMemory`: allocates with blinkMemAlloc.
  Arena(size_t bytes, int device, bool ownMemory);
  ~Arena();
  Arena(const Arena &) = delete;

  unsigned char *data() { return data_; }
  size_t size() const { return size_; }
  /// Returns where calls find the byte at `address` of data().
  unsigned char *twin(unsigned char *address) const {
    return twin_ + (address - data_);
  }
  bool holdsTwin(const void *address) const {
    return address >= twin_ && address < twin_ + size_;
  }

private:
  size_t size_;
  [[maybe_unused]] int device_;
  [[maybe_unused]] bool ownMemory_;
  unsigned char *data_ = nullptr, *twin_ = nullptr;
};

/// A place in a stream; empty on the host.
class Mark {
public:
#if BLINK_TEST_CUDA
  void set(blinkStream_t stream);
  void wait() const;

private:
  runtime::Event event_;
#else
  void set(blinkStream_t) {}
  void wait() const {}
#endif
};

/// A rank's streams. Some wait for the default stream, some do not.
class Streams {
public:
#if BLINK_TEST_CUDA && !BLINK_TEST_EMULATED
  static constexpr unsigned kNumber = 2; ///< few queues are there: main.cpp
#else
  static constexpr unsigned kNumber = 3;
#endif
  explicit Streams(int device);
  ~Streams();
  Streams(const Streams &) = delete;

  blinkStream_t operator[](unsigned i) const { return streams_[i]; }
  /// Makes the rank's device current.
  void useDevice() const;
  void upload(Arena &arena, unsigned char *begin, size_t bytes,
              blinkStream_t stream) const;
  void download(Arena &arena, unsigned char *begin, size_t bytes,
                blinkStream_t stream) const;

private:
  [[maybe_unused]] int device_;
  blinkStream_t streams_[kNumber] = {};
};

} // namespace blink::storm

#endif // BLINK_TEST_STORM_MEMORY_H
