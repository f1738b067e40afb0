//===- Site.h - where a call runs -------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_TORCH_SITE_H
#define BLINK_RUNTIME_BINDINGS_TORCH_SITE_H

#include "runtime/bindings/torch/Types.h"

namespace blink::pytorch {

/// Blink's calls for contiguous tensors, on a communicator and in a stream. For
/// a group of one rank, for which there are no schedules, they are copies. They
/// throw as check().
struct Site {
  blinkComm_t comm = nullptr; ///< null: the group has one rank
  blinkStream_t stream = nullptr;

  void allReduce(const at::Tensor &tensor, const Reduction &how) const;
  /// `out` is undefined on all ranks but the root.
  void reduce(const at::Tensor &in, const at::Tensor &out, const Reduction &how,
              int root) const;
  void reduceScatter(const at::Tensor &whole, const at::Tensor &part,
                     const Reduction &how) const;
  void broadcast(const at::Tensor &tensor, int root) const;
  void allGather(const at::Tensor &part, const at::Tensor &whole) const;
  /// `whole` is undefined on all ranks but the root.
  void gather(const at::Tensor &part, const at::Tensor &whole, int root) const;
  void scatter(const at::Tensor &whole, const at::Tensor &part, int root) const;
  void allToAll(const at::Tensor &in, const at::Tensor &out, int size) const;
  void send(const at::Tensor &tensor, int peer) const;
  void receive(const at::Tensor &tensor, int peer) const;
};

/// Makes the calls of this thread run together, at the end of the group.
class CallGroup {
public:
  CallGroup() { blinkGroupStart(); }
  /// Without end(), that is, after an exception: ends the group, which runs
  /// nothing if a call was refused.
  ~CallGroup();
  CallGroup(const CallGroup &) = delete;
  void end();
  /// Ends the group without running anything, and sets `microseconds` to the
  /// time that the calls would take.
  void simulate(double &microseconds);

private:
  bool isEnded_ = false;
};

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_SITE_H
