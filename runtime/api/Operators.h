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

/// Those of one communicator, by the numbers that its caller has for them. No
/// two communicators of a process have the same number at a time, so that one
/// is never taken for another's. From any thread.
class Operators {
public:
  Operators() = default;
  Operators(const Operators &) = delete;
  /// Gives back the numbers.
  ~Operators();

  /// A sum of what is multiplied by `scalar`, of type `type`, before. Errors:
  /// of an argument, or a memory place no element can be at.
  Status createPreMulSum(const void *scalar, blinkDataType_t type,
                         blinkScalarResidence_t residence, blinkRedOp_t &op);
  /// Errors: none of these.
  Status destroy(blinkRedOp_t op);

  /// Replaces the number in `call.kind.op`, which the caller has passed, by
  /// what calls know: a built-in operator, or kPreMulSum and the scalar.
  /// Errors: it is neither built in nor one of these, or for another type.
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
