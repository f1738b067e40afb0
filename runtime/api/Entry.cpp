//===- Entry.cpp - the C API ----------------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The entry points of blink.h: they check arguments and call the parts that do
// the work. The functions for errors are in Errors.cpp, those that make
// communicators together in Init.cpp, Shrink.cpp and Split.cpp.
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "runtime/api/CallLocks.h"
#include "runtime/api/Config.h"
#include "runtime/api/Group.h"
#include "runtime/job/Rendezvous.h"
#include "runtime/job/SharedBlocks.h"
#include "runtime/job/control/HostIdentity.h"
#include "runtime/plan/ScheduleSearch.h"
#include "schedules/ScheduleFile.h"

#include <algorithm>
#include <cstdlib>

using namespace blink;
using namespace blink::runtime;

static_assert(BLINK_VERSION == BLINK_PROJECT_VERSION,
              "blink.h and CMakeLists.txt name different versions");

//===-- Version -----------------------------------------------------------===//

blinkResult_t blinkGetVersion(int *version) {
  return guarded([&] {
    if (!version)
      return refuse("version is NULL");
    *version = BLINK_VERSION;
    return blinkSuccess;
  });
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

blinkResult_t blinkScheduleFind(const char *places, blinkSchedule_t *schedule) {
  return guarded([&] {
    if (!schedule)
      return refuse("schedule is NULL");
    *schedule = nullptr;
    const char *machine = std::getenv("BLINK_MACHINE");
    const bool isGiven = places != nullptr;
    places = isGiven ? places : std::getenv("BLINK_SCHEDULES");
    if (!places || !*places)
      return report(Status(blinkInvalidUsage,
                           isGiven  ? "places is empty"
                           : places ? "BLINK_SCHEDULES is empty"
                                    : "BLINK_SCHEDULES is not set",
                           ": it names the files and folders with this "
                           "machine's schedules"));
    ScheduleSet files;
    const Status status = findSchedules(places, machine ? machine : "", files);
    if (status.ok())
      *schedule = new blinkSchedule{std::move(files)};
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
    BackendRequest request;
    request.files = schedule->files;
    request.numRanks = nranks;
    if (devices)
      request.devices.assign(devices, devices + nranks);
    const BackendEntry *entry;
    std::shared_ptr<Backend> backend;
    Status status = readConfig(config, entry, request);
    if (status.ok())
      status = createBackend(*entry, request, backend);
    if (!status.ok())
      return report(status);
    std::vector<std::unique_ptr<blinkComm>> made;
    for (int rank = 0; rank < nranks; ++rank)
      made.push_back(std::make_unique<blinkComm>(backend, rank));
    for (int rank = 0; rank < nranks; ++rank)
      comms[rank] = made[rank].release();
    return blinkSuccess;
  });
}

blinkResult_t blinkGetHost(uint64_t *host) {
  return guarded([&] {
    if (!host)
      return refuse("host is NULL");
    *host = hostIdentity();
    return blinkSuccess;
  });
}

blinkResult_t blinkGetUniqueId(blinkUniqueId *id) {
  return guarded(
      [&] { return id ? report(makeUniqueId(*id)) : refuse("id is NULL"); });
}

blinkResult_t blinkCommDestroy(blinkComm_t comm) {
  return guarded([&] {
    if (comm && comm->isForked())
      return blinkSuccess;
    if (comm && comm->making && comm->making->outcome().code == blinkInProgress)
      return report({blinkInvalidUsage, "the communicator is being made: "
                                        "blinkCommAbort ends that"});
    const bool made = comm && comm->usable().ok();
    if (made && comm->backend->inFlight(comm->rank))
      return report({blinkInvalidUsage, "a collective is using the "
                                        "communicator: blinkCommAbort ends "
                                        "it"});
    if (made) {
      // Calls in streams need the other ranks, which may come later; these
      // could make no call any more if this rank had left.
      comm->backend->finish(comm->rank);
      comm->backend->job().detach(comm->rank);
    }
    delete comm;
    return blinkSuccess;
  });
}

blinkResult_t blinkCommAbort(blinkComm_t comm) {
  return guarded([&] {
    if (comm && comm->isForked())
      return blinkSuccess;
    if (comm && comm->making)
      comm->making->end(Job::abortedBy(comm->rank));
    if (comm && comm->usable().ok()) {
      comm->backend->abort(comm->rank);
      comm->backend->job().detach(comm->rank);
    }
    delete comm;
    return blinkSuccess;
  });
}

blinkResult_t blinkCommRevoke(blinkComm_t comm) {
  return guarded([&] {
    if (!comm)
      return refuse("the communicator is NULL");
    if (Status status = comm->usable(); !status.ok())
      return report(status, &comm->state->lastError);
    comm->backend->abort(comm->rank);
    return blinkSuccess;
  });
}

blinkResult_t blinkCommGetAsyncError(blinkComm_t comm, blinkResult_t *result) {
  return guarded([&] {
    if (!comm || !result)
      return refuse("the communicator or result is NULL");
    if (comm->isForked())
      return report(comm->usable());
    Status status = comm->making ? comm->making->outcome() : Status();
    if (status.ok())
      status = comm->backend->asyncError();
    *result = status.code;
    // A failure that a kernel or the watch of processes has noticed is not
    // recorded yet. If a call has recorded a longer sentence about it, that one
    // stays.
    LastError &last = comm->state->lastError;
    if (!status.ok() && status.code != blinkInProgress &&
        last.get().find(status.text) == std::string::npos)
      last.set(status.text);
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
    // Copies, as in runOrKeep() of Group.cpp.
    std::shared_ptr<CommState> state = comm->state;
    const int rank = comm->rank;
    if (Status status = comm->usable(); !status.ok())
      return report(status, &state->lastError);
    std::vector<CallQueue> queues = allQueues(*state);
    const CallLocks locks(queues);
    Status status = state->backend->registerBuffer(rank, buffer, bytes, number);
    if (status.ok())
      *handle = reinterpret_cast<void *>(number);
    return report(status, &state->lastError);
  });
}

blinkResult_t blinkCommDeregister(blinkComm_t comm, void *handle) {
  return guarded([&] {
    if (!handle)
      return blinkSuccess;
    if (!comm)
      return refuse("the communicator is NULL");
    std::shared_ptr<CommState> state = comm->state;
    const int rank = comm->rank;
    if (Status status = comm->usable(); !status.ok())
      return report(status, &state->lastError);
    std::vector<CallQueue> queues = allQueues(*state);
    const CallLocks locks(queues);
    return report(state->backend->deregisterBuffer(
                      rank, reinterpret_cast<uintptr_t>(handle)),
                  &state->lastError);
  });
}

blinkResult_t blinkCommCount(blinkComm_t comm, int *nranks) {
  return guarded([&] {
    if (!comm || !nranks)
      return refuse("the communicator or nranks is NULL");
    if (Status status = comm->usable(); !status.ok())
      return report(status, &comm->state->lastError);
    *nranks = comm->backend->plan().numRanks;
    return blinkSuccess;
  });
}

blinkResult_t blinkCommUserRank(blinkComm_t comm, int *rank) {
  return guarded([&] {
    if (!comm || !rank)
      return refuse("the communicator or rank is NULL");
    if (Status status = comm->usable(); !status.ok())
      return report(status, &comm->state->lastError);
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

blinkResult_t blinkSend(const void *send, size_t count, blinkDataType_t type,
                        int peer, blinkComm_t comm, blinkStream_t stream) {
  return message(send, nullptr, count, type, peer, comm, stream);
}

blinkResult_t blinkRecv(void *recv, size_t count, blinkDataType_t type,
                        int peer, blinkComm_t comm, blinkStream_t stream) {
  return message(nullptr, recv, count, type, peer, comm, stream);
}

blinkResult_t blinkProbe(size_t count, blinkDataType_t type, int peer,
                         blinkComm_t comm, int *arrived) {
  return guarded([&] {
    if (!comm || !arrived)
      return refuse("the communicator or arrived is NULL");
    std::shared_ptr<CommState> state = comm->state;
    if (Status status = comm->usable(); !status.ok())
      return report(status, &state->lastError);
    bool begun = false;
    alignas(16) char nowhere[16]; // stands for the buffer; not written to
    Call call;
    call.kind = {sched::Collective::sendrecv, type, blinkSum, 0, count};
    call.recv = nowhere;
    call.rank = comm->rank;
    call.peer = peer;
    Status status = call.prepare(state->backend->plan());
    if (status.ok() && count != 0 && peer != call.rank) {
      const CallTurn turn(state->turns, call.queue());
      status = state->backend->probe(call, begun);
    }
    *arrived = begun;
    return report(status, &state->lastError);
  });
}

//===-- Groups ------------------------------------------------------------===//

blinkResult_t blinkGroupStart(void) {
  startGroup();
  return blinkSuccess;
}

blinkResult_t blinkGroupEnd(void) { return endGroup(); }

blinkResult_t blinkGroupSimulateEnd(double *microseconds) {
  return simulateGroup(microseconds);
}
