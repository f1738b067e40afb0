//===- Operators.h - operators that callers make ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_API_OPERATORS_H
#define BLINK_RUNTIME_API_OPERATORS_H

#include "runtime/plan/Call.h"

#include <map>
#include <mutex>

namespace blink::runtime {

/// The operators of one communicator, by the numbers that its caller uses for
/// them. No two communicators of a process use the same number at a time, so an
/// operator of one is never taken for one of another. May be used from any
/// thread.
class Operators {
public:
  Operators() = default;
  Operators(const Operators &) = delete;
  /// Releases the numbers.
  ~Operators();

  /// Makes a sum whose contributions are first multiplied by `scalar`, of type
  /// `type`. Errors: an argument is wrong, or the scalar is not aligned to an
  /// element.
  Status createPreMulSum(const void *scalar, blinkDataType_t type,
                         blinkScalarResidence_t residence, blinkRedOp_t &op);
  /// Errors: `op` is not one of these.
  Status destroy(blinkRedOp_t op);

  /// Replaces the number in `call.kind.op`, which the caller has passed, by a
  /// built-in operator, or by kPreMulSum together with the scalar. Errors: the
  /// number is neither built in nor one of these, or the operator is for
  /// another type.
  Status resolve(Call &call) const;

private:
  struct PreMulSum {
    blinkDataType_t type;
    Scalar scalar;
  };

  mutable std::mutex mutex_;
  std::map<int, PreMulSum> byNumber_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_API_OPERATORS_H
