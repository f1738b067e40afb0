//===- Group.cpp - calls, alone or in groups ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Group.h"

#include "runtime/Backend.h"
#include "runtime/Log.h"
#include "runtime/api/CallLocks.h"
#include "runtime/api/Estimate.h"
#include "runtime/api/Nvtx.h"

namespace blink::runtime {
namespace {

/// The calls that this thread has collected since its outermost
/// blinkGroupStart.
struct GroupState {
  int depth = 0;
  std::vector<PendingCall> calls;
  std::vector<std::shared_ptr<CommState>> states; // of the calls
  std::vector<CallQueue> locked;                  // their queues, each once
  std::vector<PendingShrink> shrinks;
  std::vector<PendingSplit> splits;
  std::vector<PendingInit> inits;
  Status error; // the first refusal

  /// Returns true if only collectives and messages were collected, and none was
  /// refused.
  bool hasCallsAlone() const {
    return error.ok() && shrinks.empty() && splits.empty() && inits.empty();
  }
};

/// Forgets the calls that have been made, at the end of a block. The next group
/// uses the same memory.
class MadeCalls {
public:
  explicit MadeCalls(GroupState &own) : own_(own) {}
  ~MadeCalls() {
    own_.calls.clear();
    own_.states.clear();
    own_.locked.clear();
  }
  MadeCalls(const MadeCalls &) = delete;

private:
  GroupState &own_;
};

/// This thread's group. In a function of its own, because the compiler would
/// otherwise compute the thread-local address at each use, which is noticeable
/// in short groups.
[[gnu::noinline]] GroupState &ownGroup() {
  thread_local GroupState group;
  return group;
}

Status loneMessage(int rank) {
  return Status(blinkInvalidUsage, "rank ", rank, " sends to itself, or ",
                "receives from itself, alone: both belong into one group");
}

/// Joins the two halves of each message of a rank to itself into one call. Both
/// halves must be in the group; they are paired in order.
Status joinOwnMessages(GroupState &own) {
  auto &calls = own.calls;
  for (size_t i = 0; i < calls.size(); ++i) {
    Call &first = calls[i].call;
    if (first.peer != first.rank || first.kind.count == 0)
      continue;
    size_t other = i + 1;
    for (; other < calls.size(); ++other) {
      const Call &second = calls[other].call;
      if (calls[other].backend == calls[i].backend &&
          second.rank == first.rank && second.peer == first.rank &&
          second.kind.count != 0 && !second.send != !first.send)
        break;
    }
    if (other == calls.size())
      return loneMessage(first.rank);
    const Call &second = calls[other].call;
    if (first.kind != second.kind)
      return callsDiffer(first.rank, first.kind, first.rank,
                         second.kind.describe());
    first.send = first.send ? first.send : second.send;
    first.recv = first.recv ? first.recv : second.recv;
    first.sendBytes = first.recvBytes = first.bytes();
    calls.erase(calls.begin() + ptrdiff_t(other));
    own.states.erase(own.states.begin() + ptrdiff_t(other));
  }
  return {};
}

/// Takes the collected `group`. Returns the first error: what was refused, or
/// that kinds of calls are mixed.
Status takeGroup(GroupState &group, GroupState &own) {
  own = std::exchange(group, GroupState());
  const int kinds = !own.calls.empty() + !own.shrinks.empty() +
                    !own.splits.empty() + !own.inits.empty();
  if (own.error.ok() && kinds > 1)
    return {blinkInvalidUsage,
            "a group has collectives, blinkCommInitRank, blinkCommShrink or "
            "blinkCommSplit, and nothing else"};
  return std::move(own.error);
}

/// Runs a group that has only collectives and messages, without moving them:
/// the cost of that is noticeable in short groups.
blinkResult_t runGroupOfCalls(GroupState &own) {
  const MadeCalls made(own);
  Status status = joinOwnMessages(own);
  if (!status.ok() || own.calls.empty())
    return report(status);
  for (size_t i = 0; i < own.calls.size(); ++i)
    own.locked.emplace_back(own.states[i].get(), own.calls[i].call.queue());
  {
    const CallLocks locks(own.locked);
    runCalls(own.calls.data(), own.calls.size());
  }
  for (size_t i = 0; i < own.calls.size(); ++i) {
    report(own.calls[i].result, &own.states[i]->lastError);
    if (status.ok())
      status = std::move(own.calls[i].result);
  }
  return report(status);
}

blinkResult_t runGroup(GroupState &group) {
  if (group.hasCallsAlone())
    return runGroupOfCalls(group);
  GroupState own;
  Status status = takeGroup(group, own);
  if (status.ok() && !own.shrinks.empty())
    return report(shrinkTogether(own.shrinks));
  if (status.ok() && !own.splits.empty())
    return report(splitTogether(own.splits));
  if (status.ok() && !own.inits.empty())
    return initTogether(std::move(own.inits));
  return report(status);
}

/// Sets `microseconds` to how long the collected group would take, and drops
/// the group without running it.
Status estimateGroup(GroupState &group, double &microseconds) {
  GroupState own;
  Status status = takeGroup(group, own);
  if (status.ok() &&
      !(own.shrinks.empty() && own.splits.empty() && own.inits.empty()))
    status = {blinkInvalidUsage,
              "only collectives and messages are simulated: the group has been "
              "left without making communicators"};
  if (status.ok())
    status = joinOwnMessages(own);
  if (status.ok())
    status = estimateTogether(own.calls, own.states, microseconds);
  return status;
}

/// Leaves the innermost group, and sets `outermost` to whether it was the
/// outermost, too. Errors: invalid usage if there is no group; the sentence
/// names `function`, which was called.
Status leaveGroup(GroupState &group, const char *function, bool &outermost) {
  if (group.depth == 0)
    return {blinkInvalidUsage,
            std::string(function) + " without a blinkGroupStart before it"};
  outermost = --group.depth == 0;
  return {};
}

} // namespace

blinkResult_t refuseCall(const Status &status, LastError *lastError) {
  GroupState &group = ownGroup();
  if (group.depth != 0 && group.error.ok())
    group.error = status;
  return report(status, lastError);
}

/// Runs a call with its kind, buffers and stream, or keeps it for the end of
/// the group.
static blinkResult_t runOrKeep(const Call &asked, blinkComm_t comm) {
  NvtxRange range(sched::EnumNameCollective(asked.kind.collective));
  return guardedCall([&] {
    if (!comm)
      return refuseCall({blinkInvalidArgument, "the communicator is NULL"},
                        nullptr);
    // A copy, because blinkCommAbort may free `comm` while this call runs.
    std::shared_ptr<CommState> state = comm->state;
    if (Status status = comm->usable(); !status.ok())
      return refuseCall(status, &state->lastError);
    GroupState &own = ownGroup();
    PendingCall pending{comm->backend.get(), asked, {}};
    Call &call = pending.call;
    call.rank = comm->rank;
    Status status = comm->operators.resolve(call);
    if (logLevel() >= LogLevel::trace)
      log(LogLevel::trace, call.rank, call.kind.describe());
    if (status.ok())
      status = call.prepare(comm->backend->plan());
    if (status.ok() && call.peer == call.rank && own.depth == 0)
      status = loneMessage(call.rank);
    if (!status.ok())
      return refuseCall(status, &state->lastError);
    if (own.depth != 0) {
      // First what may throw, so that both keep one entry for each call.
      if (own.states.size() == own.states.capacity())
        own.states.reserve(std::max<size_t>(8, 2 * own.states.size()));
      own.calls.push_back(std::move(pending));
      own.states.push_back(std::move(state));
      return blinkSuccess;
    }
    {
      const CallTurn turn(state->turns, call.queue());
      runCalls(&pending, 1);
    }
    return report(pending.result, &state->lastError);
  });
}

blinkResult_t collective(const CallKind &kind, const void *send, void *recv,
                         blinkComm_t comm, blinkStream_t stream) {
  Call call;
  call.kind = kind;
  call.send = send;
  call.recv = recv;
  call.stream = stream;
  return runOrKeep(call, comm);
}

blinkResult_t message(const void *send, void *recv, size_t count,
                      blinkDataType_t type, int peer, blinkComm_t comm,
                      blinkStream_t stream) {
  Call call;
  call.kind = {sched::Collective::sendrecv, type, blinkSum, 0, count};
  call.send = send;
  call.recv = recv;
  call.stream = stream;
  call.peer = peer;
  return runOrKeep(call, comm);
}

blinkResult_t shrinkOrKeep(PendingShrink pending) {
  GroupState &group = ownGroup();
  if (group.depth != 0) {
    group.shrinks.push_back(std::move(pending));
    return blinkSuccess;
  }
  std::vector<PendingShrink> only(1, std::move(pending));
  return report(shrinkTogether(only));
}

blinkResult_t splitOrKeep(PendingSplit pending) {
  GroupState &group = ownGroup();
  if (group.depth != 0) {
    group.splits.push_back(std::move(pending));
    return blinkSuccess;
  }
  std::vector<PendingSplit> only(1, std::move(pending));
  return report(splitTogether(only));
}

blinkResult_t initOrKeep(PendingInit pending) {
  GroupState &group = ownGroup();
  if (group.depth != 0) {
    group.inits.push_back(std::move(pending));
    return blinkSuccess;
  }
  std::vector<PendingInit> only(1, std::move(pending));
  return initTogether(std::move(only));
}

void startGroup() { ++ownGroup().depth; }

blinkResult_t endGroup() {
  return guarded([&] {
    GroupState &group = ownGroup();
    bool outermost = false;
    const Status status = leaveGroup(group, "blinkGroupEnd", outermost);
    return status.ok() && outermost ? runGroup(group) : report(status);
  });
}

blinkResult_t simulateGroup(double *microseconds) {
  return guarded([&] {
    GroupState &group = ownGroup();
    bool outermost = false;
    double time = 0;
    Status status = leaveGroup(group, "blinkGroupSimulateEnd", outermost);
    if (status.ok() && outermost)
      status = estimateGroup(group, time);
    if (status.ok() && !microseconds)
      status = {blinkInvalidArgument, "microseconds is NULL"};
    if (status.ok())
      *microseconds = time;
    return report(status);
  });
}

} // namespace blink::runtime
