//===- Init.cpp - making communicators ------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/nccl/Init.h"

#include "runtime/bindings/nccl/Agreement.h"
#include "runtime/bindings/nccl/AtOnce.h"
#include "runtime/bindings/nccl/EntryPoints.h"
#include "runtime/bindings/nccl/Group.h"
#include "runtime/bindings/nccl/Schedules.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace blink::nccl {

ncclResult_t readConfig(const ncclConfig_t *config, bool &blocking) {
  blocking = true;
  if (!config)
    return ncclSuccess;
  if (config->size < offsetof(ncclConfig_t, blocking) ||
      config->magic != kConfigMagic)
    return fail(ncclInvalidArgument, "the configuration does not begin with "
                                     "NCCL_CONFIG_INITIALIZER");
  if (config->size < offsetof(ncclConfig_t, blocking) + sizeof(int) ||
      config->blocking == kUndefined)
    return ncclSuccess;
  if (config->blocking != 0 && config->blocking != 1)
    return fail(ncclInvalidArgument, "blocking is " +
                                         std::to_string(config->blocking) +
                                         ", expected 0 or 1");
  blocking = config->blocking == 1;
  return ncclSuccess;
}

ncclResult_t currentDevice(int &device) {
  const cudaError_t error = cudaGetDevice(&device);
  return error == cudaSuccess
             ? ncclSuccess
             : fail(ncclUnhandledCudaError, cudaGetErrorString(error));
}

blinkConfig_t ownConfig(bool blocking) {
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.backend = blinkBackendCuda;
  config.blocking = blocking;
  return config;
}

ncclResult_t initInner(const Fallback &library, ncclComm &comm, int nranks,
                       int rank, const ncclUniqueId &id) {
  const CurrentDevice device(comm.device);
  comm.library = &library;
  return library.call("ncclCommInitRank", &comm.innerComm, nranks, id, rank);
}

void logFallback(const std::string &why) {
  const char *level = std::getenv("BLINK_DEBUG");
  if (level &&
      (std::strcmp(level, "INFO") == 0 || std::strcmp(level, "TRACE") == 0))
    std::fprintf(stderr,
                 "BLINK INFO a communicator goes to "
                 "BLINK_NCCL_FALLBACK: %s\n",
                 why.c_str());
}

namespace {

/// Makes communicators with Blink. After an error, Blink's sentence is the
/// thread's last error.
ncclResult_t initOwn(const std::vector<PendingInit *> &inits) {
  blinkSchedule_t schedule = nullptr;
  ncclResult_t result = openSchedules(schedule);
  if (result != ncclSuccess)
    return result;
  blinkGroupStart();
  blinkResult_t refused = blinkSuccess;
  for (PendingInit *init : inits) {
    const blinkConfig_t config = ownConfig(init->blocking);
    blinkUniqueId id;
    std::memcpy(&id, &init->id, sizeof(id));
    const blinkResult_t called =
        blinkCommInitRank(&init->comm->blink, init->nranks, id, init->rank,
                          init->comm->device, schedule, &config);
    if (called != blinkSuccess && refused == blinkSuccess)
      refused = called;
  }
  const ncclResult_t refusal = report(refused);
  result = report(blinkGroupEnd());
  blinkScheduleClose(schedule);
  return refused != blinkSuccess ? refusal : result;
}

/// A rank that agrees with the others, twice.
struct Agreeing {
  PendingInit *init = nullptr;
  ncclResult_t result = ncclSuccess;
  std::string why; ///< why Blink cannot be used, or what went wrong
  Decision decision;

  /// Reports at `stage`. Returns true if this rank goes on with Blink.
  bool goesOn(Stage stage) {
    result = agree(init->id, stage, init->rank, init->nranks, why, decision);
    if (result != ncclSuccess)
      why = ncclGetLastError(nullptr); // of this thread, whose caller is
                                       // another one
    else if (decision.server == Server::nobody)
      result = ncclInvalidUsage, why = decision.why;
    return result == ncclSuccess && decision.server == Server::blink;
  }
};

/// Makes communicators for ranks that agree on the library.
ncclResult_t initAgreeing(std::vector<Agreeing> &ranks) {
  std::string why;
  blinkSchedule_t schedule = nullptr;
  if (openSchedules(schedule) != ncclSuccess)
    why = ncclGetLastError(nullptr);
  blinkScheduleClose(schedule);
  for (Agreeing &rank : ranks)
    rank.why = why;
  atOnce(ranks.size(), [&](size_t i) { ranks[i].goesOn(Stage::before); });
  std::vector<PendingInit *> own;
  for (Agreeing &rank : ranks)
    if (rank.result == ncclSuccess && rank.decision.server == Server::blink) {
      rank.init->blocking = true; // the result has to be known
      own.push_back(rank.init);
    }
  why = !own.empty() && initOwn(own) != ncclSuccess ? ncclGetLastError(nullptr)
                                                    : "";
  atOnce(ranks.size(), [&](size_t i) {
    Agreeing &rank = ranks[i];
    if (rank.result != ncclSuccess || rank.decision.server != Server::blink)
      return;
    rank.why = why;
    if (!rank.goesOn(Stage::after) && rank.init->comm->blink) {
      blinkCommDestroy(rank.init->comm->blink);
      rank.init->comm->blink = nullptr;
    }
  });
  // Ranks of one thread make the fallback's communicators at the same time.
  atOnce(ranks.size(), [&](size_t i) {
    Agreeing &rank = ranks[i];
    if (rank.result != ncclSuccess || rank.decision.server != Server::fallback)
      return;
    std::string wrong;
    const Fallback *library = Fallback::get(wrong);
    rank.result = library
                      ? initInner(*library, *rank.init->comm, rank.init->nranks,
                                  rank.init->rank, rank.decision.inner)
                      : ncclInvalidUsage;
    rank.why = library ? "the fallback makes no communicator" : wrong;
  });
  for (const Agreeing &rank : ranks)
    if (rank.result != ncclSuccess)
      return fail(rank.result, rank.why);
  for (const Agreeing &rank : ranks)
    if (rank.decision.server == Server::fallback && rank.init->rank == 0)
      logFallback(rank.decision.why);
  return ncclSuccess;
}

} // namespace

ncclResult_t initTogether(std::vector<PendingInit> &inits) {
  std::vector<PendingInit *> own;
  std::vector<Agreeing> agreeing;
  for (PendingInit &init : inits) {
    if (hasAgreement(init.id))
      agreeing.emplace_back().init = &init;
    else
      own.push_back(&init);
  }
  ncclResult_t result = ncclSuccess;
  if (!agreeing.empty())
    result = initAgreeing(agreeing);
  if (result == ncclSuccess && !own.empty())
    result = initOwn(own);
  for (PendingInit &init : inits) {
    const bool made = result == ncclSuccess || result == ncclInProgress;
    if (!made && init.comm->blink)
      blinkCommDestroy(init.comm->blink);
    if (!made && init.comm->innerComm)
      init.comm->fallback().call("ncclCommAbort", init.comm->innerComm);
    *init.result = made ? init.comm.release() : nullptr;
  }
  inits.clear();
  return result;
}

} // namespace blink::nccl

using namespace blink::nccl;

NCCL_ENTRY ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  return guarded([&] {
    if (!id)
      return fail(ncclInvalidArgument, "ncclGetUniqueId: the id is NULL");
    blinkUniqueId own;
    const ncclResult_t result = report(blinkGetUniqueId(&own));
    if (result != ncclSuccess)
      return result;
    std::memcpy(id, &own, sizeof(own));
    const std::string wrong = Fallback::isAsked() ? openAgreement(*id) : "";
    return wrong.empty() ? ncclSuccess : fail(ncclSystemError, wrong);
  });
}
NCCL_TWIN(ncclGetUniqueId)

NCCL_ENTRY ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int nranks,
                                               ncclUniqueId id, int rank,
                                               ncclConfig_t *config) {
  return guarded([&] {
    if (!comm)
      return fail(ncclInvalidArgument, "the pointer to the communicator is "
                                       "NULL");
    *comm = nullptr;
    if (nranks < 1 || rank < 0 || rank >= nranks)
      return fail(ncclInvalidArgument, "rank " + std::to_string(rank) + " of " +
                                           std::to_string(nranks) +
                                           " ranks is none");
    PendingInit init{comm, nranks, id, rank, true, nullptr};
    ncclResult_t result = readConfig(config, init.blocking);
    int device = 0;
    if (result == ncclSuccess)
      result = currentDevice(device);
    if (result != ncclSuccess)
      return result;
    init.comm = std::make_unique<ncclComm>(device);
    return keepOrRun(std::move(init));
  });
}
NCCL_TWIN(ncclCommInitRankConfig)

NCCL_ENTRY ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks,
                                         ncclUniqueId id, int rank) {
  return ncclCommInitRankConfig(comm, nranks, id, rank, nullptr);
}
NCCL_TWIN(ncclCommInitRank)

NCCL_ENTRY ncclResult_t ncclCommInitRankScalable(ncclComm_t *comm, int nranks,
                                                 int rank, int nids,
                                                 ncclUniqueId *ids,
                                                 ncclConfig_t *config) {
  if (!ids || nids < 1)
    return fail(ncclInvalidArgument, "there are no ids");
  return ncclCommInitRankConfig(comm, nranks, ids[0], rank, config);
}
NCCL_TWIN(ncclCommInitRankScalable)

namespace {

ncclResult_t initAllInner(ncclComm_t *comms, int nranks, const int *devices,
                          const std::string &why) {
  std::string wrong;
  const Fallback *library = Fallback::get(wrong);
  if (!library)
    return fail(ncclInvalidUsage, why + "; and " + wrong);
  std::vector<ncclComm_t> inner(static_cast<size_t>(nranks), nullptr);
  const ncclResult_t result =
      library->call("ncclCommInitAll", inner.data(), nranks, devices);
  for (int rank = 0; rank < nranks && result == ncclSuccess; ++rank) {
    comms[rank]->innerComm = inner[size_t(rank)];
    comms[rank]->library = library;
  }
  if (result == ncclSuccess)
    logFallback(why);
  return result;
}

ncclResult_t initAllOwn(ncclComm_t *comms, int nranks, const int *devices) {
  blinkSchedule_t schedule = nullptr;
  ncclResult_t result = openSchedules(schedule);
  if (result != ncclSuccess)
    return result;
  std::vector<blinkComm_t> made(static_cast<size_t>(nranks), nullptr);
  const blinkConfig_t config = ownConfig(true);
  result =
      report(blinkCommInitAll(made.data(), nranks, devices, schedule, &config));
  blinkScheduleClose(schedule);
  for (int rank = 0; rank < nranks; ++rank)
    comms[rank]->blink = made[size_t(rank)];
  return result;
}

} // namespace

NCCL_ENTRY ncclResult_t ncclCommInitAll(ncclComm_t *comms, int nranks,
                                        const int *devices) {
  return guarded([&] {
    if (!comms || nranks < 1)
      return fail(ncclInvalidArgument, "ncclCommInitAll: there is no place for "
                                       "communicators, or there are none");
    std::vector<int> all;
    std::vector<std::unique_ptr<ncclComm>> made;
    std::vector<ncclComm_t> handles;
    for (int rank = 0; rank < nranks; ++rank) {
      all.push_back(devices ? devices[rank] : rank);
      made.push_back(std::make_unique<ncclComm>(all.back()));
      handles.push_back(made.back().get());
    }
    ncclResult_t result = initAllOwn(handles.data(), nranks, all.data());
    if (result != ncclSuccess && Fallback::isAsked())
      result = initAllInner(handles.data(), nranks, all.data(),
                            ncclGetLastError(nullptr));
    for (int rank = 0; rank < nranks; ++rank)
      comms[rank] =
          result == ncclSuccess ? made[size_t(rank)].release() : nullptr;
    return result;
  });
}
NCCL_TWIN(ncclCommInitAll)
