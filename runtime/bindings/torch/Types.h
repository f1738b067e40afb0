//===- Types.h - element types and operators of tensors ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_TORCH_TYPES_H
#define BLINK_RUNTIME_BINDINGS_TORCH_TYPES_H

#include "runtime/blink.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Types.hpp>

namespace blink::pytorch {

/// The elements of a tensor in Blink's types: a complex number is two, and a
/// type that Blink does not have is bytes, which suffices for copies.
struct Elements {
  blinkDataType_t type;
  int64_t each; ///< how many of them are one element of the tensor
};
Elements elementsOf(at::ScalarType type);

/// How a reduction of tensors is done by one of Blink's.
struct Reduction {
  blinkDataType_t type; ///< of the elements that are reduced
  blinkRedOp_t op;
  /// The type to which the tensor is converted before the reduction, and from
  /// which it is converted back. Short is computed as int, because the sum of
  /// wider integers has the same low bits.
  at::ScalarType computed;
  /// For premultiplied sums: the scalar, an element of `computed`. Undefined:
  /// `op` is a built-in operator.
  at::Tensor factor;
};

/// Returns how to reduce the tensor. Errors: TypeError if elements of its type
/// are not reduced, or not with this operator.
Reduction reductionOf(const c10d::ReduceOp &op, const at::Tensor &tensor);

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_TYPES_H
