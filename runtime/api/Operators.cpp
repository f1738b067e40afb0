//===- Operators.cpp - operators that callers make ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Operators.h"

#include "runtime/api/Comm.h"
#include "runtime/plan/Types.h"
#include "schedules/Text.h"

#include <cstring>
#include <set>

namespace blink::runtime {
namespace {

/// The numbers that are in use in this process.
class Numbers {
public:
  /// Returns the lowest free number above the operators that calls know.
  int take() {
    std::lock_guard<std::mutex> lock(mutex_);
    int number = kPreMulSum + 1;
    while (!used_.insert(number).second)
      ++number;
    return number;
  }
  void giveBack(int number) {
    std::lock_guard<std::mutex> lock(mutex_);
    used_.erase(number);
  }
  /// Never destroyed, so that it outlives every communicator.
  static Numbers &get() {
    static Numbers &numbers = *new Numbers;
    return numbers;
  }

private:
  ForkSafeMutex mutex_;
  std::set<int> used_;
};

} // namespace

Operators::~Operators() {
  for (const auto &[number, op] : byNumber_)
    Numbers::get().giveBack(number);
}

Status Operators::createPreMulSum(const void *scalar, blinkDataType_t type,
                                  blinkScalarResidence_t residence,
                                  blinkRedOp_t &op) {
  const size_t size = elementBytes(type);
  if (size == 0)
    return Status(blinkInvalidArgument, "unknown data type ", int(type));
  PreMulSum made{type, {}};
  if (residence == blinkScalarHostImmediate)
    std::memcpy(&made.scalar.bits, scalar, size); // little-endian
  else if (residence == blinkScalarDevice)
    made.scalar.place = scalar;
  else
    return Status(blinkInvalidArgument, "unknown residence ", int(residence),
                  " of a scalar");
  if (reinterpret_cast<uintptr_t>(made.scalar.place) % size != 0)
    return Status(blinkInvalidArgument, "the scalar is not aligned to its ",
                  size, " bytes");
  std::lock_guard<std::mutex> lock(mutex_);
  const int number = Numbers::get().take();
  byNumber_[number] = made;
  op = blinkRedOp_t(number);
  return {};
}

Status Operators::destroy(blinkRedOp_t op) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (byNumber_.erase(op) == 0)
    return Status(blinkInvalidArgument, "operator ", int(op),
                  " was not made with this communicator, or is destroyed");
  Numbers::get().giveBack(op);
  return {};
}

Status Operators::resolve(Call &call) const {
  CallKind &kind = call.kind;
  if (unsigned(kind.op) <= unsigned(blinkBxor))
    return {};
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = byNumber_.find(kind.op);
  if (found == byNumber_.end())
    return Status(blinkInvalidArgument,
                  sched::EnumNameCollective(kind.collective),
                  ": unknown operator ", int(kind.op),
                  ": it is not built in, and not of this communicator");
  const PreMulSum &own = found->second;
  if (own.type != kind.type)
    return Status(blinkInvalidArgument,
                  sched::EnumNameCollective(kind.collective), ": operator ",
                  int(kind.op), " has a scalar of ", nameOf(own.type),
                  ", the call is of ", nameOf(kind.type));
  kind.op = kPreMulSum;
  call.scalar = own.scalar;
  return {};
}

} // namespace blink::runtime

using namespace blink::runtime;

blinkResult_t blinkRedOpCreatePreMulSum(blinkRedOp_t *op, const void *scalar,
                                        blinkDataType_t type,
                                        blinkScalarResidence_t residence,
                                        blinkComm_t comm) {
  return guarded([&] {
    if (!op || !scalar || !comm)
      return refuse("the operator, scalar or communicator is NULL");
    if (Status status = comm->usable(); !status.ok())
      return report(status, &comm->state->lastError);
    return report(comm->operators.createPreMulSum(scalar, type, residence, *op),
                  &comm->state->lastError);
  });
}

blinkResult_t blinkRedOpDestroy(blinkRedOp_t op, blinkComm_t comm) {
  return guarded([&] {
    if (!comm)
      return refuse("the communicator is NULL");
    if (Status status = comm->usable(); !status.ok())
      return report(status, &comm->state->lastError);
    return report(comm->operators.destroy(op), &comm->state->lastError);
  });
}
