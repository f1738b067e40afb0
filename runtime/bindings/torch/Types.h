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

/// Elements of a tensor as Blink has them: complex numbers are two, and what
/// Blink has no type for is bytes, which do for copies.
struct Elements {
  blinkDataType_t type;
  int64_t each; ///< of them in one of the tensor's
};
Elements elementsOf(at::ScalarType type);

/// How a reduction of tensors is one of Blink's.
struct Reduction {
  blinkDataType_t type; ///< of the elements that are reduced
  blinkRedOp_t op;
  /// What the tensor is converted to before, and back after. Short: the sum of
  /// wider integers has the same low bits.
  at::ScalarType computed;
  /// Of a sum of products: the scalar, an element of `computed`. Undefined:
  /// `op` is one of Blink's own.
  at::Tensor factor;
};

/// Errors: TypeError if elements of that type are not reduced, or not with
/// this operator.
Reduction reductionOf(const c10d::ReduceOp &op, const at::Tensor &tensor);

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_TYPES_H
