//===- Group.cpp - calls, alone or in groups ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Groups are collected here and not by blinkGroupStart, because an exception
// within a group has to drop the calls before it, for which blink.h has no
// function. A single call is run as a group of one: see CommState::life.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/python/Group.h"

#include <algorithm>

namespace nb = nanobind;

namespace blink::python {
namespace {

struct GroupState {
  std::vector<size_t> starts; ///< of nested groups: the number of calls before
                              ///< each
  std::vector<PendingCall> calls;
};

// A pointer, which has no destructor: a thread that ends within a group must
// not release Python objects, because it does not hold the GIL.
thread_local GroupState *group = nullptr;

/// Returns each communicator once, in an order that is the same in all threads:
/// the locks are taken in this order.
std::vector<CommState *>
communicatorsOf(const std::vector<PendingCall> &calls) {
  std::vector<CommState *> comms;
  for (const PendingCall &call : calls)
    comms.push_back(call.comm.get());
  std::sort(comms.begin(), comms.end());
  comms.erase(std::unique(comms.begin(), comms.end()), comms.end());
  return comms;
}

/// If `estimate` is not null, nothing is run, and *estimate becomes the time
/// that the calls would take, in microseconds.
Outcome runWithoutGil(const std::vector<PendingCall> &calls, double *estimate) {
  const std::vector<CommState *> comms = communicatorsOf(calls);
  std::vector<std::unique_lock<std::mutex>> turns;
  for (CommState *comm : comms) {
    if (Outcome usable = comm->usable(); !usable.ok())
      return usable;
    turns.emplace_back(comm->turn);
  }
  for (CommState *comm : comms) {
    std::lock_guard<std::mutex> life(comm->life);
    if (!comm->handle)
      return CommState::closed();
  }
  Outcome first = blinkGroupStart();
  for (const PendingCall &call : calls) {
    std::lock_guard<std::mutex> life(call.comm->life);
    // If another thread has just aborted this communicator, the calls of other
    // ranks end with that error.
    Outcome outcome = call.comm->handle ? Outcome(call.call(call.comm->handle))
                                        : CommState::closed();
    if (first.ok())
      first = std::move(outcome);
  }
  // If a call was refused, the library runs none.
  Outcome end = estimate ? blinkGroupSimulateEnd(estimate) : blinkGroupEnd();
  return first.ok() ? end : first;
}

void run(std::vector<PendingCall> calls, double *estimate = nullptr) {
  if (calls.empty())
    return;
  Outcome outcome;
  {
    nb::gil_scoped_release release;
    outcome = runWithoutGil(calls, estimate);
  }
  for (PendingCall &call : calls)
    if (call.finish)
      call.finish();
  outcome.raiseIfFailed();
}

} // namespace

void submit(PendingCall call) {
  std::vector<PendingCall> only;
  std::vector<PendingCall> &calls = group ? group->calls : only;
  calls.push_back(std::move(call));
  if (!group)
    run(std::move(only));
}

void startGroup() {
  if (!group)
    group = new GroupState;
  group->starts.push_back(group->calls.size());
}

void endGroup(bool runs) {
  if (!group)
    raise(blinkInvalidUsage, "a group ends that this thread has not begun");
  if (!runs)
    group->calls.erase(group->calls.begin() + ptrdiff_t(group->starts.back()),
                       group->calls.end());
  group->starts.pop_back();
  if (!group->starts.empty())
    return;
  std::unique_ptr<GroupState> own(std::exchange(group, nullptr));
  if (runs)
    run(std::move(own->calls));
}

void startEstimate() {
  if (group)
    raise(blinkInvalidUsage,
          "an estimate begins within a group: groups belong into it");
  startGroup();
}

double endEstimate() {
  if (!group)
    raise(blinkInvalidUsage, "an estimate ends that this thread has not begun");
  std::unique_ptr<GroupState> own(std::exchange(group, nullptr));
  double microseconds = 0;
  run(std::move(own->calls), &microseconds);
  return microseconds;
}

} // namespace blink::python
