//===- Operation.h - a method of the back end, to be run --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_TORCH_OPERATION_H
#define BLINK_RUNTIME_BINDINGS_TORCH_OPERATION_H

#include "runtime/bindings/torch/Pieces.h"
#include "runtime/bindings/torch/Site.h"

#include <ATen/record_function.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <chrono>

namespace blink::pytorch {

/// What all ranks do together, as plain values: it may run later, in another
/// thread, or together with others as one group.
struct Operation {
  c10d::OpType type;
  const char *title; ///< of the profiler's event
  bool isAsync;      ///< the caller goes on before the operation is done
  c10::Device device;
  Tensors inputs;  ///< read until the operation is done
  Tensors outputs; ///< written until the operation is done; its result
  std::function<After(const Site &)> calls;
  /// Time limit of this operation, for calls on the host; 0: the group's.
  std::chrono::milliseconds limit{0};

  /// Name of the profiler's event; null if no profiler runs, which avoids the
  /// cost of making the event.
  const char *event() const { return at::hasCallbacks() ? title : nullptr; }
  /// The tensors whose shapes the profiler shows.
  const Tensors &shown() const { return inputs.empty() ? outputs : inputs; }
};

/// Makes the calls of the operations, as a group if there are several. Throws
/// as check().
void runOperations(const std::vector<Operation> &operations, const Site &site);

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_OPERATION_H
