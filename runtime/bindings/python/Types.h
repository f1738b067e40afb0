//===- Types.h - types, operators and streams -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Python's names for the data types and operators of blink.h, and streams.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_PYTHON_TYPES_H
#define BLINK_RUNTIME_BINDINGS_PYTHON_TYPES_H

#include "runtime/blink.h"

#include <nanobind/ndarray.h>

#include <optional>

namespace blink::python {

const char *nameOf(blinkDataType_t type);
size_t elementBytes(blinkDataType_t type);

/// Not set if Blink has no such type, such as bool or complex.
std::optional<blinkDataType_t> typeOf(nanobind::dlpack::dtype type);

/// Reads an argument `dtype`: None, a name, or a type of NumPy, PyTorch or
/// ml_dtypes, which has a name. Raises if there is no such type.
std::optional<blinkDataType_t> readType(nanobind::handle dtype);

/// Reads "sum" and so on. Raises if there is no such operator.
blinkRedOp_t readOperator(const char *name);

/// Reads None, a number, or an object with `cuda_stream` (PyTorch),
/// `__cuda_stream__` (CUDA's own Python) or `ptr` (CuPy).
blinkStream_t readStream(nanobind::handle stream);

} // namespace blink::python

#endif // BLINK_RUNTIME_BINDINGS_PYTHON_TYPES_H
