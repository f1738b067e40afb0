//===- Types.cpp - element types and operators of tensors -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/Types.h"

#include <ATen/ops/scalar_tensor.h>

namespace blink::pytorch {

using c10d::ReduceOp;

Elements elementsOf(at::ScalarType type) {
  switch (type) {
  case at::kChar:
    return {blinkInt8, 1};
  case at::kByte:
  case at::kBool:
    return {blinkUint8, 1};
  case at::kInt:
    return {blinkInt32, 1};
  case at::kUInt32:
    return {blinkUint32, 1};
  case at::kLong:
    return {blinkInt64, 1};
  case at::kUInt64:
    return {blinkUint64, 1};
  case at::kHalf:
    return {blinkFloat16, 1};
  case at::kBFloat16:
    return {blinkBfloat16, 1};
  case at::kFloat:
    return {blinkFloat32, 1};
  case at::kDouble:
    return {blinkFloat64, 1};
  case at::kFloat8_e4m3fn:
    return {blinkFloat8e4m3, 1};
  case at::kFloat8_e5m2:
    return {blinkFloat8e5m2, 1};
  case at::kComplexHalf:
    return {blinkFloat16, 2};
  case at::kComplexFloat:
    return {blinkFloat32, 2};
  case at::kComplexDouble:
    return {blinkFloat64, 2};
  default:
    return {blinkUint8, int64_t(c10::elementSize(type))};
  }
}

namespace {

const char *nameOf(ReduceOp::RedOpType op) {
  switch (op) {
  case ReduceOp::SUM:
    return "SUM";
  case ReduceOp::AVG:
    return "AVG";
  case ReduceOp::PRODUCT:
    return "PRODUCT";
  case ReduceOp::MIN:
    return "MIN";
  case ReduceOp::MAX:
    return "MAX";
  case ReduceOp::BAND:
    return "BAND";
  case ReduceOp::BOR:
    return "BOR";
  case ReduceOp::BXOR:
    return "BXOR";
  case ReduceOp::PREMUL_SUM:
    return "PREMUL_SUM";
  case ReduceOp::UNUSED:
    break;
  }
  return "UNUSED";
}

blinkRedOp_t operatorOf(ReduceOp::RedOpType op) {
  switch (op) {
  case ReduceOp::AVG:
    return blinkAvg;
  case ReduceOp::PRODUCT:
    return blinkProd;
  case ReduceOp::MIN:
    return blinkMin;
  case ReduceOp::MAX:
    return blinkMax;
  case ReduceOp::BAND:
    return blinkBand;
  case ReduceOp::BOR:
    return blinkBor;
  case ReduceOp::BXOR:
    return blinkBxor;
  case ReduceOp::SUM:
  case ReduceOp::PREMUL_SUM:
  case ReduceOp::UNUSED:
    break;
  }
  return blinkSum;
}

/// Returns the operator for bytes that are 0 or 1.
blinkRedOp_t logical(blinkRedOp_t op) {
  switch (op) {
  case blinkSum:
  case blinkBor:
    return blinkMax;
  case blinkProd:
  case blinkBand:
    return blinkMin;
  default:
    return op;
  }
}

bool isBitwise(blinkRedOp_t op) {
  return op == blinkBand || op == blinkBor || op == blinkBxor;
}

bool isReduced(at::ScalarType type) {
  return type == at::kBool || type == at::kShort || c10::isComplexType(type) ||
         elementsOf(type).type != blinkUint8 || type == at::kByte;
}

at::Tensor factorOf(const ReduceOp &op, at::ScalarType type) {
  const auto *given =
      dynamic_cast<const c10d::PreMulSumSupplement *>(op.supplement_.get());
  TORCH_CHECK(given, "PREMUL_SUM has no factor");
  if (given->tensor_factor.defined())
    return given->tensor_factor.to(type).contiguous();
  return at::scalar_tensor(given->double_factor, at::TensorOptions(type));
}

} // namespace

Reduction reductionOf(const ReduceOp &op, const at::Tensor &tensor) {
  const at::ScalarType type = tensor.scalar_type();
  const bool isLinear = op.op_ == ReduceOp::SUM || op.op_ == ReduceOp::AVG ||
                        op.op_ == ReduceOp::PREMUL_SUM;
  blinkRedOp_t reduced = operatorOf(op.op_);
  const bool fits = isReduced(type) && op.op_ != ReduceOp::UNUSED &&
                    (!c10::isComplexType(type) || isLinear) &&
                    (!isBitwise(reduced) || c10::isIntegralType(type, true)) &&
                    (type != at::kBool || !isLinear || op.op_ == ReduceOp::SUM);
  TORCH_CHECK_TYPE(fits, "Blink: ", c10::toString(type),
                   " is not reduced with ReduceOp.", nameOf(op.op_));
  if (type == at::kBool)
    reduced = logical(reduced);
  const at::ScalarType computed = type == at::kShort ? at::kInt : type;
  Reduction result{elementsOf(computed).type, reduced, computed, {}};
  if (op.op_ == ReduceOp::PREMUL_SUM)
    result.factor = factorOf(op, c10::toRealValueType(computed));
  return result;
}

} // namespace blink::pytorch
