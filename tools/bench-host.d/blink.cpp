//===- blink.cpp - times Blink's host back end ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//   blink MODE RANKS COLLECTIVE FILE.sched MOST_BYTES
//
// Ranks are threads of this process (`threads`); all driven by one thread in
// groups of calls (`group`); processes, with memory of the C library's
// (`processes`) or registered one of Blink's (`registered`). Uses nothing of
// Blink but its C API.
//
//===----------------------------------------------------------------------===//

#include "blink.h"
#include "Bench.h"

#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Settings {
  std::string mode;
  int ranks = 0;
  BenchCollective collective = benchAllReduce;
  const char *file = nullptr;
  size_t most = 0;
  BenchShared *shared = nullptr;
};

/// A thread of the benchmark and the communicators it drives.
struct Driver {
  const Settings *settings = nullptr;
  std::vector<blinkComm_t> comms;
  std::map<void *, void *> handles; ///< of registered buffers
};

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

void barrier(BenchJob *job) {
  if (job->driven < job->ranks)
    pthread_barrier_wait(
        &static_cast<Driver *>(job->self)->settings->shared->barrier);
}

double largest(BenchJob *job, double mine) {
  if (job->driven == job->ranks)
    return mine;
  return benchLargest(static_cast<Driver *>(job->self)->settings->shared,
                      job->ranks, job->first, mine);
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

/// Measures with the communicators of ranks first, first + 1, ...
int drive(const Settings &settings, int first, std::vector<blinkComm_t> comms) {
  std::string program = "blink " + settings.mode;
  Driver driver{&settings, std::move(comms), {}};
  BenchJob job = {};
  job.program = program.c_str();
  job.collective = settings.collective;
  job.ranks = settings.ranks;
  job.first = first;
  job.driven = static_cast<int>(driver.comms.size());
  job.self = &driver;
  job.call = settings.mode == "group" ? callGroup : callRank;
  job.barrier = barrier;
  job.largest = largest;
  if (settings.mode == "registered") {
    job.allocate = allocate;
    job.release = release;
  }
  return benchRun(&job, settings.most);
}

int runProcess(int rank, void *self) {
  const auto &settings = *static_cast<const Settings *>(self);
  blinkSchedule_t schedule = nullptr;
  if (failed(blinkScheduleOpen(settings.file, &schedule)))
    return 1;
  blinkUniqueId id;
  static_assert(sizeof id <= sizeof settings.shared->bytes, "room for the id");
  if (rank == 0) {
    if (failed(blinkGetUniqueId(&id)))
      return 1;
    memcpy(settings.shared->bytes, &id, sizeof id);
  }
  pthread_barrier_wait(&settings.shared->barrier);
  memcpy(&id, settings.shared->bytes, sizeof id);
  blinkComm_t comm = nullptr;
  if (failed(blinkCommInitRank(&comm, settings.ranks, id, rank, -1, schedule,
                               nullptr)) ||
      drive(settings, rank, {comm}))
    return 1;
  return failed(blinkCommDestroy(comm)) | failed(blinkScheduleClose(schedule));
}

int runThreads(const Settings &settings) {
  blinkSchedule_t schedule = nullptr;
  std::vector<blinkComm_t> comms(settings.ranks);
  if (failed(blinkScheduleOpen(settings.file, &schedule)) ||
      failed(blinkCommInitAll(comms.data(), settings.ranks, nullptr, schedule,
                              nullptr)))
    return 1;
  if (settings.mode == "group") {
    if (drive(settings, 0, comms))
      return 1;
  } else {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < settings.ranks; ++rank)
      threads.emplace_back([&, rank] {
        // The others wait at the next barrier: end them with the process.
        if (drive(settings, rank, {comms[rank]}))
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
  Settings settings;
  if (argc == 6) {
    settings.mode = argv[1];
    settings.ranks = atoi(argv[2]);
    settings.file = argv[4];
    settings.most = strtoull(argv[5], nullptr, 10);
  }
  const bool processes =
      settings.mode == "processes" || settings.mode == "registered";
  const bool known =
      processes || settings.mode == "threads" || settings.mode == "group";
  if (!known || settings.ranks < 2 || settings.ranks > benchMaxRanks ||
      benchFind(argv[3], &settings.collective)) {
    fprintf(stderr,
            "usage: %s threads|group|processes|registered RANKS COLLECTIVE "
            "FILE.sched MOST_BYTES\n",
            argv[0]);
    return 2;
  }
  settings.shared = benchShare(settings.ranks);
  if (!settings.shared) {
    fprintf(stderr, "blink: no memory\n");
    return 1;
  }
  if (processes)
    return benchFork(settings.ranks, runProcess, &settings);
  return runThreads(settings);
}
