//===- Group.h - calls, alone or in groups ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Every call on a communicator goes through here: alone at once, within
// blink.group() when that ends.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_PYTHON_GROUP_H
#define BLINK_RUNTIME_BINDINGS_PYTHON_GROUP_H

#include "runtime/bindings/python/Buffer.h"
#include "runtime/bindings/python/CommState.h"

#include <functional>
#include <memory>
#include <vector>

namespace blink::python {

struct PendingCall {
  std::shared_ptr<CommState> comm;
  /// The call of blink.h, made in a group of the C library.
  std::function<blinkResult_t(blinkComm_t)> call;
  /// Memory it uses.
  std::vector<Buffer> buffers;
  /// What is to be done when the group has ended, with success or not.
  std::function<void()> finish = {};
};

/// Runs the call, or keeps it if this thread is in a group. Raises the
/// library's error.
void submit(PendingCall call);

void startGroup();
/// Ends the innermost group of this thread. Of the outermost all calls are run,
/// with the GIL released; with `run` false those since its start are dropped.
void endGroup(bool run);

/// Begins a group that endEstimate() ends; raises an error within another one.
void startEstimate();
/// Ends the outermost group without running its calls: the microseconds that
/// they take by their schedules' model.
double endEstimate();

} // namespace blink::python

#endif // BLINK_RUNTIME_BINDINGS_PYTHON_GROUP_H
