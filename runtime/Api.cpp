//===- Api.cpp - the C API ------------------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Judges arguments, keeps the last error, collects groups. What runs is the
// back end's.
//
//===----------------------------------------------------------------------===//

#include "runtime/Log.h"
#include "runtime/Nvtx.h"
#include "runtime/Run.h"
#include "runtime/Shrink.h"
#include "runtime/host/Rendezvous.h"
#include "runtime/host/SharedBlocks.h"
#include "schedules/ScheduleFile.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <mutex>

using namespace blink;
using namespace blink::runtime;

static_assert(BLINK_VERSION == BLINK_PROJECT_VERSION,
              "blink.h and CMakeLists.txt name different versions");

/// The sentence of the last error of a communicator. Thread-safe.
class LastError {
public:
  void set(const std::string &text) {
    std::lock_guard<std::mutex> lock(mutex_);
    text_ = text;
  }
  std::string get() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return text_;
  }

private:
  mutable std::mutex mutex_;
  std::string text_;
};

/// What calls hold on to: blinkCommAbort may free the communicator while one
/// comes to its end. With its count of references on cache lines of its own, as
/// ranks of other threads call at the same time.
struct alignas(64) CommState {
  std::shared_ptr<Machine> machine;
  LastError lastError;
};

struct blinkComm {
  blinkComm(std::shared_ptr<Machine> jobs, int rank) : rank(rank) {
    auto state = std::make_shared<CommState>();
    state->machine = std::move(jobs);
    machine = {state, state->machine.get()};
    lastError = {state, &state->lastError};
  }

  int rank;
  std::shared_ptr<Machine> machine; ///< both keep the rank's CommState
  std::shared_ptr<LastError> lastError;
};

struct blinkSchedule {
  ScheduleSet files;
};

namespace {

thread_local std::string threadError;

/// Records an error for the thread and, where there is one, the communicator.
blinkResult_t report(const Status &status, LastError *comm = nullptr) {
  if (!status.ok()) {
    threadError = status.text;
    if (comm)
      comm->set(status.text);
  }
  return status.code;
}

blinkResult_t refuse(const char *text) {
  return report({blinkInvalidArgument, text});
}

/// No exception leaves the library.
template <typename Function> blinkResult_t guarded(Function function) {
  try {
    return function();
  } catch (const std::bad_alloc &) {
    threadError.assign("out of memory"); // fits without allocating
    return blinkSystemError;
  } catch (const std::exception &) {
    threadError.assign("a defect");
    return blinkInternalError;
  }
}

//===-- Groups ------------------------------------------------------------===//

/// A blinkCommShrink.
struct PendingShrink {
  std::shared_ptr<Machine> machine;
  int rank;
  ShrinkRequest request;
  std::shared_ptr<LastError> lastError;
  blinkComm_t *result;
};

/// What this thread has collected since its outermost blinkGroupStart.
struct GroupState {
  int depth = 0;
  std::vector<PendingCall> calls;
  std::vector<std::shared_ptr<LastError>> lastErrors; // of the calls
  std::vector<PendingShrink> shrinks;
  Status error; // the first refusal
};

thread_local GroupState group;

/// Shrinks one machine for ranks that ask for the same, by ascending rank.
Status shrinkTogether(const std::vector<PendingShrink *> &calls) {
  const PendingShrink &first = *calls.front();
  std::vector<int> ranks;
  for (const PendingShrink *call : calls) {
    ranks.push_back(call->rank);
    if (ranks.size() > 1 && call->rank == calls[ranks.size() - 2]->rank)
      return {blinkInvalidUsage, "rank " + std::to_string(call->rank) +
                                     " shrinks twice in one group"};
    if (!(call->request == first.request))
      return {blinkInvalidUsage,
              "the ranks shrink the communicator differently: rank " +
                  std::to_string(first.rank) + " and rank " +
                  std::to_string(call->rank) + ", in one group"};
  }
  std::shared_ptr<Machine> machine;
  Status status = shrink(*first.machine, ranks, first.request, machine);
  if (!status.ok())
    return status;
  const std::vector<int> &excluded = first.request.excluded;
  std::vector<std::unique_ptr<blinkComm>> made;
  for (int rank : ranks)
    made.push_back(std::unique_ptr<blinkComm>(new blinkComm{
        machine,
        int(rank - (std::lower_bound(excluded.begin(), excluded.end(), rank) -
                    excluded.begin()))}));
  for (size_t i = 0; i < calls.size(); ++i)
    *calls[i]->result = made[i].release();
  return {};
}

Status runShrinks(std::vector<PendingShrink> &shrinks) {
  Status first;
  std::vector<PendingShrink *> left;
  for (PendingShrink &call : shrinks)
    left.push_back(&call);
  std::sort(left.begin(), left.end(),
            [](const auto *a, const auto *b) { return a->rank < b->rank; });
  while (!left.empty()) {
    std::vector<PendingShrink *> together, others;
    for (PendingShrink *call : left)
      (call->machine == left.front()->machine ? together : others)
          .push_back(call);
    Status status = shrinkTogether(together);
    for (PendingShrink *call : together)
      report(status, call->lastError.get());
    if (first.ok())
      first = std::move(status);
    left = std::move(others);
  }
  return first;
}

blinkResult_t runGroup() {
  GroupState own = std::exchange(group, GroupState());
  Status status = std::move(own.error);
  if (status.ok() && !own.calls.empty() && !own.shrinks.empty())
    status = {blinkInvalidUsage, "a group has collectives or blinkCommShrink, "
                                 "not both"};
  if (status.ok() && !own.shrinks.empty())
    return report(runShrinks(own.shrinks));
  if (!status.ok() || own.calls.empty())
    return report(status);
  runCalls(own.calls.data(), own.calls.size());
  for (size_t i = 0; i < own.calls.size(); ++i) {
    report(own.calls[i].result, own.lastErrors[i].get());
    if (status.ok())
      status = std::move(own.calls[i].result);
  }
  // The next group takes the same memory.
  own.calls.clear();
  own.lastErrors.clear();
  group.calls.swap(own.calls);
  group.lastErrors.swap(own.lastErrors);
  return report(status);
}

//===-- Collectives -------------------------------------------------------===//

blinkResult_t collective(const CallKind &kind, const void *send, void *recv,
                         blinkComm_t comm, blinkStream_t stream) {
  NvtxRange range(sched::EnumNameCollective(kind.collective));
  return guarded([&] {
    if (!comm)
      return refuse("the communicator is NULL");
    // Copies: blinkCommAbort may free `comm` while this call runs.
    PendingCall pending{comm->machine, {}, {}};
    std::shared_ptr<LastError> lastError = comm->lastError;
    Call &call = pending.call;
    call.kind = kind;
    call.rank = comm->rank;
    call.send = send;
    call.recv = recv;
    call.stream = stream;
    if (logLevel() >= LogLevel::trace)
      log(LogLevel::trace, call.rank, kind.describe());
    Status status = call.prepare(comm->machine->plan());
    if (!status.ok()) {
      if (group.depth != 0 && group.error.ok())
        group.error = status;
      return report(status, lastError.get());
    }
    if (group.depth != 0) {
      group.calls.push_back(std::move(pending));
      group.lastErrors.push_back(std::move(lastError));
      return blinkSuccess;
    }
    runCalls(&pending, 1);
    return report(pending.result, lastError.get());
  });
}

//===-- Settings ----------------------------------------------------------===//

Status readTimeout(const blinkConfig_t *config,
                   std::chrono::milliseconds &timeout) {
  constexpr int kDefaultMs = 30000;
  long ms = config ? config->timeoutMs : 0;
  if (ms < 0)
    return {blinkInvalidArgument, "timeoutMs is negative"};
  const char *text = std::getenv("BLINK_TIMEOUT_MS");
  if (ms == 0 && text) {
    char *end = nullptr;
    ms = std::strtol(text, &end, 10);
    if (end == text || *end != '\0' || ms <= 0 || ms > INT32_MAX)
      return {blinkInvalidArgument,
              "BLINK_TIMEOUT_MS is '" + std::string(text) +
                  "', expected milliseconds from 1 to 2147483647"};
  }
  timeout = std::chrono::milliseconds(ms != 0 ? ms : kDefaultMs);
  return {};
}

/// Programs compiled with an older header know fewer fields.
constexpr size_t kSizeBeforeGpus = offsetof(blinkConfig_t, gpus),
                 kSizeBeforeLink = offsetof(blinkConfig_t, withoutLink);

Status checkSize(const blinkConfig_t *config) {
  if (config && config->size != sizeof(blinkConfig_t) &&
      config->size != kSizeBeforeGpus && config->size != kSizeBeforeLink)
    return {blinkInvalidArgument, "the size of the config is " +
                                      std::to_string(config->size) +
                                      ": start from BLINK_CONFIG_INITIALIZER"};
  return {};
}

Status readConfig(const blinkConfig_t *config, MachineOptions &options) {
  Status status = checkSize(config);
  if (!status.ok())
    return status;
  if (config)
    options.backend = config->backend;
  if (config && config->size > kSizeBeforeGpus)
    options.gpus = config->gpus;
  if (config && config->size > kSizeBeforeLink && config->withoutLink)
    options.withoutLink = config->withoutLink;
  if (options.backend != blinkBackendHost &&
      options.backend != blinkBackendCuda)
    return {blinkInvalidArgument,
            "unknown back end " + std::to_string(int(options.backend))};
  return readTimeout(config, options.timeout);
}

Status initAll(blinkComm_t *comms, int numRanks, const int *devices,
               const blinkSchedule &schedule, const blinkConfig_t *config) {
  MachineOptions options;
  Status status = readConfig(config, options);
  std::shared_ptr<Machine> machine;
  if (status.ok())
    status = makeMachine(schedule.files, numRanks, devices, options, machine);
  if (!status.ok())
    return status;
  std::vector<std::unique_ptr<blinkComm>> made;
  for (int rank = 0; rank < numRanks; ++rank)
    made.push_back(std::unique_ptr<blinkComm>(new blinkComm(machine, rank)));
  for (int rank = 0; rank < numRanks; ++rank)
    comms[rank] = made[rank].release();
  return {};
}

Status initRank(blinkComm_t &comm, int numRanks, const blinkUniqueId &id,
                int rank, int device, const blinkSchedule &schedule,
                const blinkConfig_t *config) {
  MachineOptions options;
  Status status = readConfig(config, options);
  std::shared_ptr<Machine> machine;
  if (status.ok())
    status = joinMachine(schedule.files, numRanks, id, rank, device, options,
                         machine);
  if (status.ok())
    comm = new blinkComm(machine, rank);
  return status;
}

/// Judges the arguments of blinkCommShrink. What is not given stays.
Status readShrink(const blinkComm &comm, const int *excluded, int count,
                  const blinkConfig_t *config, ShrinkRequest &request) {
  const int numRanks = comm.machine->plan().numRanks;
  if (count < 0 || (count > 0 && !excluded))
    return {blinkInvalidArgument, "excludeCount is negative, or excludeRanks "
                                  "is NULL"};
  for (int i = 0; i < count; ++i) {
    if (excluded[i] < 0 || excluded[i] >= numRanks)
      return {blinkInvalidArgument, "excludes rank " +
                                        std::to_string(excluded[i]) + " of " +
                                        std::to_string(numRanks)};
    if (excluded[i] == comm.rank)
      return {blinkInvalidArgument,
              "rank " + std::to_string(comm.rank) +
                  " is excluded: the ranks that remain call, the others not"};
    request.excluded.push_back(excluded[i]);
  }
  std::sort(request.excluded.begin(), request.excluded.end());
  auto twice =
      std::adjacent_find(request.excluded.begin(), request.excluded.end());
  if (twice != request.excluded.end())
    return {blinkInvalidArgument,
            "excludes rank " + std::to_string(*twice) + " twice"};
  Status status = checkSize(config);
  if (status.ok() && config && config->timeoutMs < 0)
    status = {blinkInvalidArgument, "timeoutMs is negative"};
  if (!status.ok() || !config)
    return status;
  request.timeout = std::chrono::milliseconds(config->timeoutMs);
  if (config->size > kSizeBeforeLink && config->withoutLink)
    request.withoutLink = config->withoutLink;
  return {};
}

} // namespace

//===-- Errors and version ------------------------------------------------===//

blinkResult_t blinkGetVersion(int *version) {
  return guarded([&] {
    if (!version)
      return refuse("version is NULL");
    *version = BLINK_VERSION;
    return blinkSuccess;
  });
}

const char *blinkGetErrorString(blinkResult_t result) {
  switch (result) {
  case blinkSuccess:
    return "no error";
  case blinkUnhandledCudaError:
    return "unhandled CUDA error";
  case blinkSystemError:
    return "system error";
  case blinkInternalError:
    return "internal error";
  case blinkInvalidArgument:
    return "invalid argument";
  case blinkInvalidUsage:
    return "invalid usage";
  case blinkRemoteError:
    return "remote error";
  case blinkInProgress:
    return "in progress";
  }
  return "unknown result code";
}

const char *blinkGetLastError(blinkComm_t comm) {
  // A copy: calls that fail from now on assign to the original.
  thread_local std::string text;
  try {
    text = comm ? comm->lastError->get() : threadError;
  } catch (const std::exception &) {
    text.clear();
  }
  return text.c_str();
}

//===-- Schedules ---------------------------------------------------------===//

blinkResult_t blinkScheduleOpen(const char *path, blinkSchedule_t *schedule) {
  return guarded([&] {
    if (!path || !schedule)
      return refuse("path or schedule is NULL");
    *schedule = nullptr;
    std::shared_ptr<const OpenFile> file;
    Status status = OpenFile::read(path, file);
    if (status.ok())
      *schedule = new blinkSchedule{{file}};
    return report(status);
  });
}

blinkResult_t blinkScheduleOpenMemory(const void *data, size_t size,
                                      blinkSchedule_t *schedule) {
  return guarded([&] {
    if (!data || !schedule)
      return refuse("data or schedule is NULL");
    *schedule = nullptr;
    std::shared_ptr<const OpenFile> file;
    Status status = OpenFile::copy(data, size, file);
    if (status.ok())
      *schedule = new blinkSchedule{{file}};
    return report(status);
  });
}

blinkResult_t blinkScheduleAdd(blinkSchedule_t schedule, const char *path) {
  return guarded([&] {
    if (!path || !schedule)
      return refuse("path or schedule is NULL");
    std::shared_ptr<const OpenFile> file;
    Status status = OpenFile::read(path, file);
    if (status.ok())
      schedule->files.push_back(file);
    return report(status);
  });
}

blinkResult_t blinkScheduleRanks(blinkSchedule_t schedule, int *nranks) {
  return guarded([&] {
    if (!schedule || !nranks)
      return refuse("schedule or nranks is NULL");
    const OpenFile &first = *schedule->files.front();
    *nranks =
        first.schedule()
            ? int(sched::numPrograms(*first.schedule()->programs()->Get(0)))
            : int(first.bundle().index->gpu_nodes()->size());
    return blinkSuccess;
  });
}

blinkResult_t blinkScheduleClose(blinkSchedule_t schedule) {
  delete schedule;
  return blinkSuccess;
}

//===-- Communicators -----------------------------------------------------===//

blinkResult_t blinkCommInitAll(blinkComm_t *comms, int nranks,
                               const int *devices, blinkSchedule_t schedule,
                               const blinkConfig_t *config) {
  return guarded([&] {
    if (!comms || nranks < 1)
      return refuse("comms is NULL or nranks is less than 1");
    std::fill(comms, comms + nranks, nullptr);
    if (!schedule)
      return refuse("the schedule is NULL");
    return report(initAll(comms, nranks, devices, *schedule, config));
  });
}

blinkResult_t blinkGetUniqueId(blinkUniqueId *id) {
  return guarded(
      [&] { return id ? report(makeUniqueId(*id)) : refuse("id is NULL"); });
}

blinkResult_t blinkCommInitRank(blinkComm_t *comm, int nranks, blinkUniqueId id,
                                int rank, int device, blinkSchedule_t schedule,
                                const blinkConfig_t *config) {
  return guarded([&] {
    if (!comm)
      return refuse("comm is NULL");
    *comm = nullptr;
    if (!schedule)
      return refuse("the schedule is NULL");
    if (nranks < 1 || rank < 0 || rank >= nranks)
      return report(
          {blinkInvalidArgument,
           "rank " + std::to_string(rank) + " of " + std::to_string(nranks)});
    return report(initRank(*comm, nranks, id, rank, device, *schedule, config));
  });
}

blinkResult_t blinkCommShrink(blinkComm_t comm, const int *excludeRanks,
                              int excludeCount, blinkComm_t *newcomm,
                              const blinkConfig_t *config) {
  return guarded([&] {
    if (!comm || !newcomm)
      return refuse("comm or newcomm is NULL");
    *newcomm = nullptr;
    PendingShrink pending{
        comm->machine, comm->rank, {}, comm->lastError, newcomm};
    Status status =
        readShrink(*comm, excludeRanks, excludeCount, config, pending.request);
    if (!status.ok() && group.depth != 0 && group.error.ok())
      group.error = status;
    if (!status.ok())
      return report(status, comm->lastError.get());
    if (group.depth != 0) {
      group.shrinks.push_back(std::move(pending));
      return blinkSuccess;
    }
    std::vector<PendingShrink> only(1, std::move(pending));
    return report(runShrinks(only));
  });
}

blinkResult_t blinkCommDestroy(blinkComm_t comm) {
  return guarded([&] {
    if (comm && comm->machine->busy(comm->rank))
      return report({blinkInvalidUsage, "a collective is using the "
                                        "communicator: blinkCommAbort ends "
                                        "it"});
    if (comm)
      comm->machine->leave(comm->rank);
    delete comm;
    return blinkSuccess;
  });
}

blinkResult_t blinkCommAbort(blinkComm_t comm) {
  return guarded([&] {
    if (comm) {
      comm->machine->abort(comm->rank);
      comm->machine->leave(comm->rank);
    }
    delete comm;
    return blinkSuccess;
  });
}

blinkResult_t blinkCommGetAsyncError(blinkComm_t comm, blinkResult_t *result) {
  return guarded([&] {
    if (!comm || !result)
      return refuse("the communicator or result is NULL");
    *result = comm->machine->failure().code;
    return blinkSuccess;
  });
}

blinkResult_t blinkMemAlloc(void **memory, size_t bytes) {
  return guarded([&] {
    if (!memory || bytes == 0)
      return refuse("the pointer is NULL, or there are no bytes");
    return report(allocateMemory(bytes, *memory));
  });
}

blinkResult_t blinkMemFree(void *memory) {
  return guarded([&] {
    if (!memory)
      return blinkSuccess;
    return report(freeBlock(memory));
  });
}

blinkResult_t blinkCommRegister(blinkComm_t comm, void *buffer, size_t bytes,
                                void **handle) {
  return guarded([&] {
    if (!comm || !buffer || !handle || bytes == 0)
      return refuse("the communicator, buffer or handle is NULL, or there are "
                    "no bytes");
    *handle = nullptr;
    uintptr_t number = 0;
    // Copies: as in collective().
    std::shared_ptr<Machine> machine = comm->machine;
    std::shared_ptr<LastError> lastError = comm->lastError;
    Status status = machine->registerBuffer(comm->rank, buffer, bytes, number);
    if (status.ok())
      *handle = reinterpret_cast<void *>(number);
    return report(status, lastError.get());
  });
}

blinkResult_t blinkCommDeregister(blinkComm_t comm, void *handle) {
  return guarded([&] {
    if (!handle)
      return blinkSuccess;
    if (!comm)
      return refuse("the communicator is NULL");
    std::shared_ptr<Machine> machine = comm->machine;
    std::shared_ptr<LastError> lastError = comm->lastError;
    return report(machine->deregisterBuffer(
                      comm->rank, reinterpret_cast<uintptr_t>(handle)),
                  lastError.get());
  });
}

blinkResult_t blinkCommCount(blinkComm_t comm, int *nranks) {
  return guarded([&] {
    if (!comm || !nranks)
      return refuse("the communicator or nranks is NULL");
    *nranks = comm->machine->plan().numRanks;
    return blinkSuccess;
  });
}

blinkResult_t blinkCommUserRank(blinkComm_t comm, int *rank) {
  return guarded([&] {
    if (!comm || !rank)
      return refuse("the communicator or rank is NULL");
    *rank = comm->rank;
    return blinkSuccess;
  });
}

//===-- Collectives -------------------------------------------------------===//

blinkResult_t blinkAllReduce(const void *send, void *recv, size_t count,
                             blinkDataType_t type, blinkRedOp_t op,
                             blinkComm_t comm, blinkStream_t stream) {
  return collective({sched::Collective::allreduce, type, op, 0, count}, send,
                    recv, comm, stream);
}

blinkResult_t blinkBroadcast(const void *send, void *recv, size_t count,
                             blinkDataType_t type, int root, blinkComm_t comm,
                             blinkStream_t stream) {
  return collective({sched::Collective::broadcast, type, blinkSum, root, count},
                    send, recv, comm, stream);
}

blinkResult_t blinkReduce(const void *send, void *recv, size_t count,
                          blinkDataType_t type, blinkRedOp_t op, int root,
                          blinkComm_t comm, blinkStream_t stream) {
  return collective({sched::Collective::reduce, type, op, root, count}, send,
                    recv, comm, stream);
}

blinkResult_t blinkAllGather(const void *send, void *recv, size_t sendcount,
                             blinkDataType_t type, blinkComm_t comm,
                             blinkStream_t stream) {
  return collective(
      {sched::Collective::allgather, type, blinkSum, 0, sendcount}, send, recv,
      comm, stream);
}

blinkResult_t blinkReduceScatter(const void *send, void *recv, size_t recvcount,
                                 blinkDataType_t type, blinkRedOp_t op,
                                 blinkComm_t comm, blinkStream_t stream) {
  return collective({sched::Collective::reducescatter, type, op, 0, recvcount},
                    send, recv, comm, stream);
}

blinkResult_t blinkGather(const void *send, void *recv, size_t sendcount,
                          blinkDataType_t type, int root, blinkComm_t comm,
                          blinkStream_t stream) {
  return collective(
      {sched::Collective::gather, type, blinkSum, root, sendcount}, send, recv,
      comm, stream);
}

blinkResult_t blinkScatter(const void *send, void *recv, size_t recvcount,
                           blinkDataType_t type, int root, blinkComm_t comm,
                           blinkStream_t stream) {
  return collective(
      {sched::Collective::scatter, type, blinkSum, root, recvcount}, send, recv,
      comm, stream);
}

blinkResult_t blinkAllToAll(const void *send, void *recv, size_t count,
                            blinkDataType_t type, blinkComm_t comm,
                            blinkStream_t stream) {
  return collective({sched::Collective::alltoall, type, blinkSum, 0, count},
                    send, recv, comm, stream);
}

//===-- Groups ------------------------------------------------------------===//

blinkResult_t blinkGroupStart(void) {
  ++group.depth;
  return blinkSuccess;
}

blinkResult_t blinkGroupEnd(void) {
  return guarded([&] {
    if (group.depth == 0)
      return report({blinkInvalidUsage,
                     "blinkGroupEnd without a blinkGroupStart before it"});
    return --group.depth == 0 ? runGroup() : blinkSuccess;
  });
}
