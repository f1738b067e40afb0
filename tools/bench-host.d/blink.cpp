//===- blink.cpp - times Blink's host back end ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//   blink MODE RANKS COLLECTIVE FILE.sched MOST_BYTES
//
// Ranks are threads of this process (`threads`), or one thread drives them all
// in groups of calls (`group`), or they are processes, with the C library's
// memory (`processes`) or with registered memory of Blink (`registered`). The
// program uses only Blink's C API.
//
//===----------------------------------------------------------------------===//

#include "blink.h"
#include "Bench.h"

#include <map>
#include <thread>
#include <vector>

namespace {

/// A thread of the benchmark and the communicators it drives.
struct Driver {
  std::vector<blinkComm_t> comms;
  std::map<void *, void *> handles; ///< of registered buffers
};

bool is(const BenchCall &call, const char *variant) {
  return strcmp(call.variant, variant) == 0;
}

int failed(blinkResult_t result) {
  if (result != blinkSuccess)
    fprintf(stderr, "blink: %s: %s\n", blinkGetErrorString(result),
            blinkGetLastError(nullptr));
  return result != blinkSuccess;
}

blinkResult_t callOne(BenchJob *job, int i, blinkComm_t comm) {
  if (job->collective == benchAllReduce)
    return blinkAllReduce(job->send[i], job->recv[i], job->count, blinkFloat32,
                          blinkSum, comm, nullptr);
  if (job->collective == benchBroadcast)
    return blinkBroadcast(job->send[i], job->recv[i], job->count, blinkFloat32,
                          0, comm, nullptr);
  return blinkAllGather(job->send[i], job->recv[i], job->part, blinkFloat32,
                        comm, nullptr);
}

int callRank(BenchJob *job) {
  return failed(callOne(job, 0, static_cast<Driver *>(job->self)->comms[0]));
}

int callGroup(BenchJob *job) {
  auto &comms = static_cast<Driver *>(job->self)->comms;
  if (failed(blinkGroupStart()))
    return 1;
  for (int i = 0; i < job->driven; ++i)
    if (failed(callOne(job, i, comms[i])))
      return 1;
  return failed(blinkGroupEnd());
}

void *allocate(BenchJob *job, size_t bytes) {
  auto &driver = *static_cast<Driver *>(job->self);
  void *memory = nullptr, *handle = nullptr;
  if (failed(blinkMemAlloc(&memory, bytes)) ||
      failed(blinkCommRegister(driver.comms[0], memory, bytes, &handle)))
    return nullptr;
  driver.handles[memory] = handle;
  return memory;
}

void release(BenchJob *job, void *memory) {
  auto &driver = *static_cast<Driver *>(job->self);
  failed(blinkCommDeregister(driver.comms[0], driver.handles[memory]));
  failed(blinkMemFree(memory));
}

/// Measures with the communicators of the ranks from `first` on.
int drive(const BenchCall &call, int first, std::vector<blinkComm_t> comms) {
  const int driven = static_cast<int>(comms.size());
  Driver driver{std::move(comms), {}};
  BenchJob job = {};
  job.self = &driver;
  job.call = is(call, "group") ? callGroup : callRank;
  if (is(call, "registered")) {
    job.allocate = allocate;
    job.release = release;
  }
  return benchDrive(&call, &job, first, driven);
}

int runProcess(int rank, const BenchCall *call) {
  blinkSchedule_t schedule = nullptr;
  if (failed(blinkScheduleOpen(call->place, &schedule)))
    return 1;
  blinkUniqueId id;
  static_assert(sizeof id <= sizeof call->shared->bytes, "room for the id");
  if (rank == 0) {
    if (failed(blinkGetUniqueId(&id)))
      return 1;
    memcpy(call->shared->bytes, &id, sizeof id);
  }
  pthread_barrier_wait(&call->shared->barrier);
  memcpy(&id, call->shared->bytes, sizeof id);
  blinkComm_t comm = nullptr;
  if (failed(blinkCommInitRank(&comm, call->ranks, id, rank, -1, schedule,
                               nullptr)) ||
      drive(*call, rank, {comm}))
    return 1;
  return failed(blinkCommDestroy(comm)) | failed(blinkScheduleClose(schedule));
}

int runThreads(const BenchCall &call) {
  blinkSchedule_t schedule = nullptr;
  std::vector<blinkComm_t> comms(call.ranks);
  if (failed(blinkScheduleOpen(call.place, &schedule)) ||
      failed(blinkCommInitAll(comms.data(), call.ranks, nullptr, schedule,
                              nullptr)))
    return 1;
  if (is(call, "group")) {
    if (drive(call, 0, comms))
      return 1;
  } else {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < call.ranks; ++rank)
      threads.emplace_back([&, rank] {
        // The other threads wait at the next barrier, so end the process.
        if (drive(call, rank, {comms[rank]}))
          _exit(1);
      });
    for (std::thread &thread : threads)
      thread.join();
  }
  int wrong = 0;
  for (blinkComm_t comm : comms)
    wrong |= failed(blinkCommDestroy(comm));
  return wrong | failed(blinkScheduleClose(schedule));
}

} // namespace

int main(int argc, char **argv) {
  const char *const variants[] = {"threads", "group", "processes", "registered",
                                  nullptr};
  BenchCall call;
  if (int code = benchRead(argc, argv, "blink", variants,
                           "threads|group|processes|registered RANKS "
                           "COLLECTIVE FILE.sched",
                           &call))
    return code;
  return is(call, "processes") || is(call, "registered")
             ? benchFork(&call, runProcess)
             : runThreads(call);
}
