//===- Api.cpp - the C API ------------------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Judges arguments, keeps the last error, collects groups. What runs is the
// back end's.
//
//===----------------------------------------------------------------------===//

#include "runtime/Log.h"
#include "runtime/host/Machine.h"
#include "schedules/ScheduleFile.h"

#include <algorithm>
#include <cstdlib>
#include <exception>

using namespace blink;
using namespace blink::runtime;

static_assert(BLINK_VERSION == BLINK_PROJECT_VERSION,
              "blink.h and CMakeLists.txt name different versions");

struct blinkComm {
  std::shared_ptr<Machine> machine;
  int rank;
};

struct blinkSchedule {
  ScheduleSet files;
};

namespace {

thread_local std::string threadError;

/// Records an error for the thread and, where there is one, the communicator.
blinkResult_t report(const Status &status, blinkComm_t comm = nullptr) {
  if (!status.ok()) {
    threadError = status.text;
    if (comm)
      comm->machine->setLastError(comm->rank, status.text);
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

struct GroupedCall {
  std::shared_ptr<Machine> machine;
  Call call;
};

/// What this thread has collected since its outermost blinkGroupStart.
struct GroupState {
  int depth = 0;
  std::deque<GroupedCall> calls; // a call stays where it is
  Status error;                  // the first refusal
};

thread_local GroupState group;

blinkResult_t runGroup() {
  std::deque<GroupedCall> calls = std::move(group.calls);
  Status status = std::move(group.error);
  group = GroupState();
  if (!status.ok())
    return report(status);
  for (GroupedCall &grouped : calls)
    grouped.machine->submit(grouped.call);
  for (GroupedCall &grouped : calls) {
    Status one = grouped.machine->wait(grouped.call);
    if (status.ok())
      status = std::move(one);
  }
  return report(status);
}

//===-- Collectives -------------------------------------------------------===//

/// Judges the arguments of a call and finds its program.
Status prepare(Call &call, const Plan &plan) {
  auto invalid = [&](const std::string &text) {
    return Status{blinkInvalidArgument,
                  sched::EnumNameCollective(call.collective) + (": " + text)};
  };
  if (!foldFunction(call.type, blinkSum))
    return invalid("unknown data type " + std::to_string(int(call.type)));
  if (!foldFunction(call.type, call.op))
    return invalid("unknown operator " + std::to_string(int(call.op)));
  if (call.root < 0 || call.root >= plan.numRanks)
    return invalid("root " + std::to_string(call.root) + " of " +
                   std::to_string(plan.numRanks) + " ranks");
  const uint64_t numRanks = uint64_t(plan.numRanks);
  const size_t size = elementBytes(call.type);
  if (call.count > PTRDIFF_MAX / size / numRanks)
    return invalid("count " + std::to_string(call.count) +
                   " is more than memory can hold");
  Status status = plan.find(call.collective, call.root, call.program);
  if (!status.ok() || call.count == 0)
    return status;
  if (!call.send && call.program->readsInput[call.rank])
    return invalid("the send buffer is NULL");
  if (!call.recv && call.program->usesOutput[call.rank])
    return invalid("the receive buffer is NULL");
  if (call.collective == sched::Collective::alltoall && call.send &&
      call.send == call.recv)
    return invalid("send and receive buffer are one; there is no alltoall in "
                   "place");
  for (const void *buffer : {call.send, static_cast<const void *>(call.recv)})
    if (reinterpret_cast<uintptr_t>(buffer) % size != 0)
      return invalid("a buffer is not aligned to its elements of " +
                     std::to_string(size) + " bytes");
  return {};
}

blinkResult_t collective(sched::Collective kind, const void *send, void *recv,
                         size_t count, blinkDataType_t type, blinkRedOp_t op,
                         int root, blinkComm_t comm) {
  return guarded([&] {
    if (!comm)
      return refuse("the communicator is NULL");
    // A copy: blinkCommAbort may free `comm` while this call waits.
    std::shared_ptr<Machine> machine = comm->machine;
    Call call;
    call.rank = comm->rank;
    call.collective = kind;
    call.root = root;
    call.count = count;
    call.type = type;
    call.op = op;
    call.send = send;
    call.recv = recv;
    if (logLevel() >= LogLevel::trace)
      log(LogLevel::trace, call.rank, call.describe());
    Status status = prepare(call, machine->plan());
    if (!status.ok()) {
      if (group.depth != 0 && group.error.ok())
        group.error = status;
      return report(status, comm);
    }
    if (group.depth != 0) {
      group.calls.push_back({std::move(machine), std::move(call)});
      return blinkSuccess;
    }
    machine->submit(call);
    return report(machine->wait(call));
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

Status initAll(blinkComm_t *comms, int numRanks, const int *devices,
               const blinkSchedule &schedule, const blinkConfig_t *config) {
  // There is one version of the struct so far.
  if (config && config->size != sizeof(blinkConfig_t))
    return {blinkInvalidArgument, "the size of the config is " +
                                      std::to_string(config->size) +
                                      ": start from BLINK_CONFIG_INITIALIZER"};
  if (config && config->backend == blinkBackendCuda)
    return {blinkInvalidUsage,
            "this build of Blink has no CUDA back end: use blinkBackendHost"};
  if (config && config->backend != blinkBackendHost)
    return {blinkInvalidArgument,
            "unknown back end " + std::to_string(int(config->backend))};
  if (devices)
    return {blinkInvalidArgument,
            "devices are for GPUs: pass NULL to the host back end"};
  std::chrono::milliseconds timeout;
  Status status = readTimeout(config, timeout);
  std::shared_ptr<Machine> machine;
  if (status.ok())
    status = Machine::create(schedule.files, numRanks, timeout, machine);
  if (!status.ok())
    return status;
  std::vector<std::unique_ptr<blinkComm>> made;
  for (int rank = 0; rank < numRanks; ++rank)
    made.push_back(std::unique_ptr<blinkComm>(new blinkComm{machine, rank}));
  for (int rank = 0; rank < numRanks; ++rank)
    comms[rank] = made[rank].release();
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
  if (!comm)
    return threadError.c_str();
  thread_local std::string text;
  try {
    text = comm->machine->lastError(comm->rank);
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
    const sched::Schedule &first = schedule->files.front()->root();
    *nranks = int(sched::numPrograms(*first.programs()->Get(0)));
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
                             blinkComm_t comm, blinkStream_t) {
  return collective(sched::Collective::allreduce, send, recv, count, type, op,
                    0, comm);
}

blinkResult_t blinkBroadcast(const void *send, void *recv, size_t count,
                             blinkDataType_t type, int root, blinkComm_t comm,
                             blinkStream_t) {
  return collective(sched::Collective::broadcast, send, recv, count, type,
                    blinkSum, root, comm);
}

blinkResult_t blinkReduce(const void *send, void *recv, size_t count,
                          blinkDataType_t type, blinkRedOp_t op, int root,
                          blinkComm_t comm, blinkStream_t) {
  return collective(sched::Collective::reduce, send, recv, count, type, op,
                    root, comm);
}

blinkResult_t blinkAllGather(const void *send, void *recv, size_t sendcount,
                             blinkDataType_t type, blinkComm_t comm,
                             blinkStream_t) {
  return collective(sched::Collective::allgather, send, recv, sendcount, type,
                    blinkSum, 0, comm);
}

blinkResult_t blinkReduceScatter(const void *send, void *recv, size_t recvcount,
                                 blinkDataType_t type, blinkRedOp_t op,
                                 blinkComm_t comm, blinkStream_t) {
  return collective(sched::Collective::reducescatter, send, recv, recvcount,
                    type, op, 0, comm);
}

blinkResult_t blinkGather(const void *send, void *recv, size_t sendcount,
                          blinkDataType_t type, int root, blinkComm_t comm,
                          blinkStream_t) {
  return collective(sched::Collective::gather, send, recv, sendcount, type,
                    blinkSum, root, comm);
}

blinkResult_t blinkScatter(const void *send, void *recv, size_t recvcount,
                           blinkDataType_t type, int root, blinkComm_t comm,
                           blinkStream_t) {
  return collective(sched::Collective::scatter, send, recv, recvcount, type,
                    blinkSum, root, comm);
}

blinkResult_t blinkAllToAll(const void *send, void *recv, size_t count,
                            blinkDataType_t type, blinkComm_t comm,
                            blinkStream_t) {
  return collective(sched::Collective::alltoall, send, recv, count, type,
                    blinkSum, 0, comm);
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
