//===- Buffer.h - memory of Python objects ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What a collective needs to know of an array: where it lies, how long it is,
// what its elements are.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_PYTHON_BUFFER_H
#define BLINK_RUNTIME_BINDINGS_PYTHON_BUFFER_H

#include "runtime/blink.h"

#include <nanobind/ndarray.h>

#include <optional>

namespace blink::python {

/// Memory of an object with DLPack, the buffer protocol or
/// `__cuda_array_interface__`. While this exists the memory stays where it is:
/// a bytearray, say, refuses to grow.
struct Buffer {
  void *data = nullptr;
  size_t bytes = 0;
  /// Unknown where Blink has no such type and none was asked for.
  std::optional<blinkDataType_t> type;

  /// What keeps the memory; one of the three.
  nanobind::ndarray<> writable;
  nanobind::ndarray<nanobind::ro> readable;
  nanobind::object object;
};

enum class Access { read, write };

/// What a buffer is for.
struct BufferUse {
  Access access;
  /// CUDA's number of the communicator's GPU; none: it is one of the host.
  std::optional<int> gpu = std::nullopt;
  /// What the bytes are, whatever the object says.
  std::optional<blinkDataType_t> type = std::nullopt;
  /// In which the GPU will use it, so that a framework has that wait for what
  /// it does with the buffer in streams of its own.
  blinkStream_t stream = nullptr;
};

/// Raises TypeError if `object` is no buffer, and InvalidArgument if it is not
/// contiguous, is read-only but to be written, or is memory that the
/// communicator cannot use. `name` is what errors call it.
Buffer readBuffer(nanobind::handle object, const char *name,
                  const BufferUse &use);

} // namespace blink::python

#endif // BLINK_RUNTIME_BINDINGS_PYTHON_BUFFER_H
