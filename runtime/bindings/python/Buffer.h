//===- Buffer.h - memory of Python objects ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What a collective needs to know about an array: its address, its length and
// the type of its elements.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_PYTHON_BUFFER_H
#define BLINK_RUNTIME_BINDINGS_PYTHON_BUFFER_H

#include "runtime/blink.h"

#include <nanobind/ndarray.h>

#include <optional>

namespace blink::python {

/// Memory of an object that supports DLPack, the buffer protocol or
/// `__cuda_array_interface__`. As long as a Buffer exists, the memory stays
/// where it is: a bytearray, for example, refuses to grow.
struct Buffer {
  void *data = nullptr;
  size_t bytes = 0;
  /// Not set if Blink has no such type and none was asked for.
  std::optional<blinkDataType_t> type;

  /// One of these three keeps the memory alive.
  nanobind::ndarray<> writable;
  nanobind::ndarray<nanobind::ro> readable;
  nanobind::object object;
};

enum class Access { read, write };

/// What a buffer is used for.
struct BufferUse {
  Access access;
  /// CUDA's number of the communicator's GPU; not set: the communicator is of
  /// the host.
  std::optional<int> gpu = std::nullopt;
  /// The type of the elements, whatever the object says.
  std::optional<blinkDataType_t> type = std::nullopt;
  /// The stream in which the GPU will use the buffer. A framework then lets
  /// that stream wait for its own work on the buffer in other streams.
  blinkStream_t stream = nullptr;
};

/// Reads a buffer from `object`. Raises TypeError if the object is not a
/// buffer, and InvalidArgument if it is not contiguous, if it is read-only but
/// would be written to, or if the communicator cannot use its memory. `name` is
/// used in error messages.
Buffer readBuffer(nanobind::handle object, const char *name,
                  const BufferUse &use);

} // namespace blink::python

#endif // BLINK_RUNTIME_BINDINGS_PYTHON_BUFFER_H
