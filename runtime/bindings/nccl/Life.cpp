//===- Life.cpp - communicators after they are made -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Splitting and shrinking, finalizing and freeing, and queries.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/nccl/EntryPoints.h"
#include "runtime/bindings/nccl/Group.h"

using namespace blink::nccl;

//===-- Of others ---------------------------------------------------------===//

namespace {

/// The common part of splitting and shrinking: `own` and `inner` make the
/// communicator of Blink's or the fallback's and store its handle at the given
/// place. `part` is the call, to be kept if there is a fallback.
template <typename Own, typename Inner>
ncclResult_t makeChild(ncclComm_t comm, ncclComm_t *newcomm,
                       ncclConfig_t *config, PendingPart part, Own own,
                       Inner inner) {
  return guarded([&] {
    if (!comm || !newcomm)
      return fail(ncclInvalidArgument, "the communicator, or the place for the "
                                       "new one, is NULL");
    *newcomm = nullptr;
    PendingChild child{newcomm, std::make_unique<ncclComm>(comm->device)};
    if (comm->innerComm) {
      child.comm->library = comm->library;
      const ncclResult_t result = inner(&child.comm->innerComm);
      return keepOrEnd(std::move(child), result);
    }
    bool blocking;
    ncclResult_t result = readConfig(config, blocking);
    if (result == ncclSuccess && Fallback::isAsked()) {
      part.from = comm;
      part.result = newcomm;
      part.comm = std::move(child.comm);
      return keepOrRun(std::move(part));
    }
    if (result == ncclSuccess)
      result = report(own(&child.comm->blink));
    return keepOrEnd(std::move(child), result);
  });
}

} // namespace

NCCL_ENTRY ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key,
                                      ncclComm_t *newcomm,
                                      ncclConfig_t *config) {
  if (color < 0 && color != BLINK_SPLIT_NOCOLOR)
    return refuse(ncclInvalidArgument,
                  "ncclCommSplit: the colour is " + std::to_string(color) +
                      ", expected 0 or more, or NCCL_SPLIT_NOCOLOR");
  PendingPart part{};
  part.color = color;
  part.key = key;
  return makeChild(
      comm, newcomm, config, std::move(part),
      [&](blinkComm_t *made) {
        return blinkCommSplit(comm->blink, color, key, made, nullptr);
      },
      [&](ncclComm_t *made) {
        return comm->fallback().call("ncclCommSplit", comm->innerComm, color,
                                     key, made, config);
      });
}
NCCL_TWIN(ncclCommSplit)

NCCL_ENTRY ncclResult_t ncclCommShrink(ncclComm_t comm, int *excluded,
                                       int count, ncclComm_t *newcomm,
                                       ncclConfig_t *config, int flags) {
  if (count < 0 || (count > 0 && !excluded))
    return refuse(ncclInvalidArgument, "ncclCommShrink: the list of ranks is "
                                       "NULL, or has fewer than none");
  PendingPart part{};
  part.shrinks = true;
  part.excluded.assign(excluded, excluded + count);
  return makeChild(
      comm, newcomm, config, std::move(part),
      [&](blinkComm_t *made) {
        return blinkCommShrink(comm->blink, excluded, count, made, nullptr);
      },
      [&](ncclComm_t *made) {
        return comm->fallback().call("ncclCommShrink", comm->innerComm,
                                     excluded, count, made, config, flags);
      });
}
NCCL_TWIN(ncclCommShrink)

//===-- The end -----------------------------------------------------------===//

NCCL_ENTRY ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  const auto own = [&] {
    const ncclResult_t result = report(blinkCommFinalize(comm->blink));
    if (result == ncclSuccess) // otherwise it may not be made yet
      comm->finalized.store(true, std::memory_order_relaxed);
    return result;
  };
  return route(comm, "ncclCommFinalize", own, innerOf(comm));
}
NCCL_TWIN(ncclCommFinalize)

NCCL_ENTRY ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  return guarded([&] {
    if (!comm || keepToFree(comm))
      return ncclSuccess;
    const ncclResult_t result =
        comm->innerComm
            ? comm->fallback().call("ncclCommDestroy", comm->innerComm)
            : report(blinkCommDestroy(comm->blink));
    if (result == ncclSuccess)
      delete comm;
    return result;
  });
}
NCCL_TWIN(ncclCommDestroy)

NCCL_ENTRY ncclResult_t ncclCommAbort(ncclComm_t comm) {
  return guarded([&] {
    if (!comm)
      return ncclSuccess;
    const ncclResult_t result =
        comm->innerComm
            ? comm->fallback().call("ncclCommAbort", comm->innerComm)
            : report(blinkCommAbort(comm->blink));
    delete comm;
    return result;
  });
}
NCCL_TWIN(ncclCommAbort)

NCCL_ENTRY ncclResult_t ncclCommRevoke(ncclComm_t comm, int flags) {
  const auto own = [&] { return report(blinkCommRevoke(comm->blink)); };
  return route(comm, "ncclCommRevoke", own, innerOf(comm), flags);
}
NCCL_TWIN(ncclCommRevoke)

//===-- Questions ---------------------------------------------------------===//

NCCL_ENTRY ncclResult_t ncclCommGetAsyncError(ncclComm_t comm,
                                              ncclResult_t *error) {
  if (!comm || !error)
    return fail(ncclInvalidArgument, "ncclCommGetAsyncError: the communicator "
                                     "or the result is NULL");
  if (comm->innerComm)
    return comm->fallback().call("ncclCommGetAsyncError", comm->innerComm,
                                 error);
  blinkResult_t own = blinkSuccess;
  const ncclResult_t result = report(blinkCommGetAsyncError(comm->blink, &own));
  *error = resultOf(own);
  return result;
}
NCCL_TWIN(ncclCommGetAsyncError)

NCCL_ENTRY ncclResult_t ncclCommCount(const ncclComm_t comm, int *count) {
  const auto own = [&] { return report(blinkCommCount(comm->blink, count)); };
  return ask(comm, "ncclCommCount", own, innerOf(comm), count);
}
NCCL_TWIN(ncclCommCount)

NCCL_ENTRY ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank) {
  const auto own = [&] { return report(blinkCommUserRank(comm->blink, rank)); };
  return ask(comm, "ncclCommUserRank", own, innerOf(comm), rank);
}
NCCL_TWIN(ncclCommUserRank)

NCCL_ENTRY ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device) {
  const auto own = [&] {
    if (!device)
      return fail(ncclInvalidArgument, "ncclCommCuDevice: device is NULL");
    *device = comm->device;
    return ncclSuccess;
  };
  return ask(comm, "ncclCommCuDevice", own, innerOf(comm), device);
}
NCCL_TWIN(ncclCommCuDevice)

NCCL_ENTRY ncclResult_t ncclCommMemStats(ncclComm_t comm, int stat,
                                         uint64_t *value) {
  const auto own = [&] {
    // Numbers 0 and 1: memory that can be suspended, of which Blink has none.
    // Numbers 2 and 3: memory that persists, which is all of it.
    if (!value || stat < 0 || stat > 3)
      return fail(ncclInvalidArgument,
                  "ncclCommMemStats: no such number, or no place for it");
    blinkMemoryInfo_t info = BLINK_MEMORY_INFO_INITIALIZER;
    const ncclResult_t result = report(blinkCommMemory(comm->blink, &info));
    *value = stat < 2 ? 0 : info.slots + info.control + info.programs;
    return result;
  };
  return ask(comm, "ncclCommMemStats", own, innerOf(comm), stat, value);
}
NCCL_TWIN(ncclCommMemStats)
