//===- Site.cpp - where a call runs ---------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/Site.h"

#include "runtime/bindings/torch/Errors.h"

#include <c10/core/impl/VirtualGuardImpl.h>

namespace blink::pytorch {
namespace {

size_t countOf(const at::Tensor &tensor) {
  return size_t(tensor.numel() * elementsOf(tensor.scalar_type()).each);
}

blinkDataType_t typeOf(const at::Tensor &tensor) {
  return elementsOf(tensor.scalar_type()).type;
}

const void *from(const at::Tensor &tensor) {
  return tensor.defined() ? tensor.const_data_ptr() : nullptr;
}
void *to(const at::Tensor &tensor) {
  return tensor.defined() ? tensor.mutable_data_ptr() : nullptr;
}

/// For one rank, the result is the rank's own elements, times their factor.
void copyOwn(const at::Tensor &from, const at::Tensor &to,
             const Reduction *how = nullptr) {
  if (from.const_data_ptr() != to.const_data_ptr())
    to.view({-1}).copy_(from.view({-1}));
  if (how && how->factor.defined())
    to.mul_(how->factor);
}

/// The operator of a call, which exists for the duration of that call.
class Operator {
public:
  Operator(const Reduction &how, blinkComm_t comm) : comm_(comm), op_(how.op) {
    if (!how.factor.defined())
      return;
    const bool onHost = how.factor.is_cpu();
    if (!onHost) {
      // The call reads it later, in the current stream.
      const c10::impl::VirtualGuardImpl guard(how.factor.device().type());
      guard.recordDataPtrOnStream(how.factor.storage().data_ptr(),
                                  guard.getStream(how.factor.device()));
    }
    check(blinkRedOpCreatePreMulSum(
        &op_, how.factor.const_data_ptr(), how.type,
        onHost ? blinkScalarHostImmediate : blinkScalarDevice, comm));
    isMade_ = true;
  }
  ~Operator() {
    if (isMade_)
      blinkRedOpDestroy(op_, comm_);
  }
  Operator(const Operator &) = delete;
  operator blinkRedOp_t() const { return op_; }

private:
  blinkComm_t comm_;
  blinkRedOp_t op_;
  bool isMade_ = false;
};

} // namespace

void Site::allReduce(const at::Tensor &tensor, const Reduction &how) const {
  if (!comm)
    return copyOwn(tensor, tensor, &how);
  check(blinkAllReduce(from(tensor), to(tensor), countOf(tensor), how.type,
                       Operator(how, comm), comm, stream));
}

void Site::reduce(const at::Tensor &in, const at::Tensor &out,
                  const Reduction &how, int root) const {
  if (!comm)
    return copyOwn(in, out, &how);
  check(blinkReduce(from(in), to(out), countOf(in), how.type,
                    Operator(how, comm), root, comm, stream));
}

void Site::reduceScatter(const at::Tensor &whole, const at::Tensor &part,
                         const Reduction &how) const {
  if (!comm)
    return copyOwn(whole, part, &how);
  check(blinkReduceScatter(from(whole), to(part), countOf(part), how.type,
                           Operator(how, comm), comm, stream));
}

void Site::broadcast(const at::Tensor &tensor, int root) const {
  if (comm)
    check(blinkBroadcast(from(tensor), to(tensor), countOf(tensor),
                         typeOf(tensor), root, comm, stream));
}

void Site::allGather(const at::Tensor &part, const at::Tensor &whole) const {
  if (!comm)
    return copyOwn(part, whole);
  check(blinkAllGather(from(part), to(whole), countOf(part), typeOf(part), comm,
                       stream));
}

void Site::gather(const at::Tensor &part, const at::Tensor &whole,
                  int root) const {
  if (!comm)
    return copyOwn(part, whole);
  check(blinkGather(from(part), to(whole), countOf(part), typeOf(part), root,
                    comm, stream));
}

void Site::scatter(const at::Tensor &whole, const at::Tensor &part,
                   int root) const {
  if (!comm)
    return copyOwn(whole, part);
  check(blinkScatter(from(whole), to(part), countOf(part), typeOf(part), root,
                     comm, stream));
}

void Site::allToAll(const at::Tensor &in, const at::Tensor &out,
                    int size) const {
  if (!comm)
    return copyOwn(in, out);
  check(blinkAllToAll(from(in), to(out), countOf(in) / size_t(size), typeOf(in),
                      comm, stream));
}

void Site::send(const at::Tensor &tensor, int peer) const {
  check(blinkSend(from(tensor), countOf(tensor), typeOf(tensor), peer, comm,
                  stream));
}

void Site::receive(const at::Tensor &tensor, int peer) const {
  check(blinkRecv(to(tensor), countOf(tensor), typeOf(tensor), peer, comm,
                  stream));
}

CallGroup::~CallGroup() {
  if (!isEnded_)
    blinkGroupEnd();
}

void CallGroup::end() {
  isEnded_ = true;
  check(blinkGroupEnd());
}

void CallGroup::simulate(double &microseconds) {
  isEnded_ = true;
  check(blinkGroupSimulateEnd(&microseconds));
}

} // namespace blink::pytorch
