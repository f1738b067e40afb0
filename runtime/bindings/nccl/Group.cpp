//===- Group.cpp - calls between ncclGroupStart and ncclGroupEnd ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Calls go to Blink and to the fallback as they come; both have the same
// groups. Only calls that make communicators are kept here, because agreeing on
// the library is not a call of either.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/nccl/Group.h"

#include "runtime/bindings/nccl/EntryPoints.h"

#include <algorithm>

namespace blink::nccl {
namespace {

struct GroupState {
  int depth = 0;
  const Fallback *library = nullptr; ///< that has a group open, too
  std::vector<PendingInit> inits;
  std::vector<PendingChild> children;
  std::vector<PendingPart> parts;
  std::vector<ncclComm_t> toFree;
};

thread_local GroupState group;

/// Hands the communicator that a split or shrink has made to the caller; if
/// there is none, or the call failed, the caller gets null.
void endChild(PendingChild &child, ncclResult_t result) {
  const bool made = child.comm->blink || child.comm->innerComm;
  if (made && result != ncclSuccess && result != ncclInProgress &&
      child.comm->blink)
    blinkCommDestroy(child.comm->blink);
  const bool ok = result == ncclSuccess || result == ncclInProgress;
  *child.result = made && ok ? child.comm.release() : nullptr;
}

/// Ends the groups of both libraries. Returns the first error.
ncclResult_t endCalls(GroupState &own) {
  ncclResult_t result = report(blinkGroupEnd());
  if (!own.library)
    return result;
  const ncclResult_t inner = own.library->call("ncclGroupEnd");
  return result == ncclSuccess ? inner : result;
}

/// Ends the groups without running them; `time` becomes the longer of their
/// times, in microseconds.
ncclResult_t simulateCalls(GroupState &own, double &time) {
  ncclResult_t result = report(blinkGroupSimulateEnd(&time));
  if (!own.library)
    return result;
  ncclSimInfo_t info = {sizeof(info), kSimInfoMagic, kSimInfoVersion, 0};
  const ncclResult_t inner = own.library->call("ncclGroupSimulateEnd", &info);
  time = std::max(time, double(info.estimatedTime));
  return result == ncclSuccess ? inner : result;
}

/// Frees the communicators that were kept for that. Returns the first error,
/// `result` included.
ncclResult_t freeKept(const GroupState &own, ncclResult_t result) {
  for (ncclComm_t comm : own.toFree) {
    const ncclResult_t freed = ncclCommDestroy(comm);
    result = result == ncclSuccess ? freed : result;
  }
  return result;
}

} // namespace

ncclResult_t refuse(ncclResult_t result, std::string text) {
  // A refused call keeps all calls of the group from running.
  if (inGroup())
    blinkAllReduce(nullptr, nullptr, 0, blinkInt8, blinkSum, nullptr, nullptr);
  return fail(result, std::move(text));
}

bool inGroup() { return group.depth != 0; }

ncclResult_t keepOrRun(PendingInit init) {
  std::vector<PendingInit> one;
  std::vector<PendingInit> &inits = inGroup() ? group.inits : one;
  inits.push_back(std::move(init));
  return inGroup() ? ncclSuccess : initTogether(one);
}

ncclResult_t keepOrRun(PendingPart part) {
  std::vector<PendingPart> one;
  std::vector<PendingPart> &parts = inGroup() ? group.parts : one;
  parts.push_back(std::move(part));
  return inGroup() ? ncclSuccess : makeParts(one);
}

ncclResult_t keepOrEnd(PendingChild child, ncclResult_t result) {
  if (inGroup() && result == ncclSuccess)
    group.children.push_back(std::move(child));
  else
    endChild(child, result);
  return result;
}

bool keepToFree(ncclComm_t comm) {
  if (inGroup())
    group.toFree.push_back(comm);
  return inGroup();
}

} // namespace blink::nccl

using namespace blink::nccl;

NCCL_ENTRY ncclResult_t ncclGroupStart() {
  if (group.depth++ != 0)
    return ncclSuccess;
  group.library = Fallback::opened();
  if (group.library)
    group.library->call("ncclGroupStart");
  return report(blinkGroupStart());
}
NCCL_TWIN(ncclGroupStart)

NCCL_ENTRY ncclResult_t ncclGroupEnd() {
  return guarded([&] {
    if (group.depth == 0)
      return fail(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
    if (--group.depth != 0)
      return ncclSuccess;
    // The calls below may open groups of their own.
    GroupState own;
    std::swap(own, group);
    ncclResult_t result = endCalls(own);
    for (PendingChild &child : own.children)
      endChild(child, result);
    if (result == ncclSuccess && !own.parts.empty())
      result = makeParts(own.parts);
    if (!own.inits.empty()) {
      const ncclResult_t made = initTogether(own.inits);
      result = result == ncclSuccess ? made : result;
    }
    return freeKept(own, result);
  });
}
NCCL_TWIN(ncclGroupEnd)

NCCL_ENTRY ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t *info) {
  return guarded([&] {
    if (info && info->magic != kSimInfoMagic)
      return fail(ncclInvalidArgument,
                  "the info does not begin with NCCL_SIM_INFO_INITIALIZER");
    if (group.depth == 0)
      return fail(ncclInvalidUsage, "ncclGroupSimulateEnd without "
                                    "ncclGroupStart");
    if (--group.depth != 0)
      return ncclSuccess;
    GroupState own;
    std::swap(own, group);
    const bool makes =
        !(own.inits.empty() && own.parts.empty() && own.children.empty());
    double time = 0;
    ncclResult_t result = simulateCalls(own, time);
    if (makes)
      result = fail(ncclInvalidUsage,
                    "only collectives and messages are simulated: the group "
                    "has been left without making communicators");
    for (PendingChild &child : own.children)
      endChild(child, result);
    if (info && result == ncclSuccess)
      info->estimatedTime = float(time);
    return freeKept(own, result);
  });
}
NCCL_TWIN(ncclGroupSimulateEnd)
