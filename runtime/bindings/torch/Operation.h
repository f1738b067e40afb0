//===- Operation.h - one method of the back end, to be run ------*- C++ -*-===//
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

/// What all ranks do together, as values: it may run later, in another thread,
/// or with others as one group.
struct Operation {
  c10d::OpType type;
  const char *title; ///< of the profiler's event
  bool isAsync;      ///< the caller goes on before it is done
  c10::Device device;
  Tensors inputs;  ///< read until it is done
  Tensors outputs; ///< written until it is done, and its result
  std::function<After(const Site &)> calls;
  /// A time limit of its own, of calls on the host; 0: the group's.
  std::chrono::milliseconds limit{0};

  /// Of the profiler; null while there is none, which saves its making.
  const char *event() const { return at::hasCallbacks() ? title : nullptr; }
  /// Whose shapes the profiler shows.
  const Tensors &shown() const { return inputs.empty() ? outputs : inputs; }
};

/// Makes their calls, as a group if they are several. Throws as check().
void runOperations(const std::vector<Operation> &operations, const Site &site);

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_OPERATION_H
