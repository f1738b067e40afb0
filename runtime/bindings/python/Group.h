//===- Group.h - calls, alone or in groups ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Every call on a communicator goes through here: a single call at once, a call
// within blink.group() when the group ends.
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
  /// The call of blink.h, to be made in a group of the C library.
  std::function<blinkResult_t(blinkComm_t)> call;
  /// Memory that the call uses.
  std::vector<Buffer> buffers;
  /// Called when the group has ended, successfully or not.
  std::function<void()> finish = {};
};

/// Runs the call, or keeps it if this thread is in a group. Raises the
/// library's error.
void submit(PendingCall call);

void startGroup();
/// Ends the innermost group of this thread. If it is the outermost, all calls
/// are run, with the GIL released. With `run` false, the calls since the
/// group's start are dropped.
void endGroup(bool run);

/// Begins a group that endEstimate() ends. Raises an error within another
/// group.
void startEstimate();
/// Ends the outermost group without running its calls. Returns how many
/// microseconds they would take by their schedules' model.
double endEstimate();

} // namespace blink::python

#endif // BLINK_RUNTIME_BINDINGS_PYTHON_GROUP_H
