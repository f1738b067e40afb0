//===- Bench.cpp - runs all cases in one of the modes ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The main thread starts workers and reports the cases that they have finished.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Bench.h"

#include "tools/blink-perf/Worker.h"
#include "tools/ranks/RankProcesses.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace blink::perf {
namespace {

using Report = std::function<void(size_t, const Result &)>;

class Bench {
public:
  Bench(const Options &options, const Plan &plan, const Report &report)
      : options_(options), plan_(plan), report_(report),
        shared_(options.mode == Mode::group ? 1 : plan.numPrograms,
                plan.cases.size(), referenceBytes(plan)) {
    config_.backend = options.backend;
    config_.timeoutMs = options.timeoutMs;
    if (!plan.gpus.empty())
      config_.gpus = plan.gpus.data();
  }

  RunEnd run() {
    if (options_.mode == Mode::processes)
      runProcesses();
    else
      runThreads();
    return {shared_.failure(), shared_.joinSeconds()};
  }

private:
  void runThreads();
  void runProcesses();
  void runRank(int rank);
  void reportAll();

  const Options &options_;
  const Plan &plan_;
  const Report &report_;
  Shared shared_;
  blinkConfig_t config_ = BLINK_CONFIG_INITIALIZER;
};

void Bench::reportAll() {
  for (size_t i = 0; i < plan_.cases.size() && shared_.waitFor(uint32_t(i + 1));
       ++i)
    report_(i, shared_.result(i));
}

/// The communicators of the ranks in this process.
struct Comms {
  explicit Comms(int n) : list(size_t(n), nullptr) {}
  ~Comms() {
    for (blinkComm_t comm : list)
      blinkCommDestroy(comm);
  }
  Comms(const Comms &) = delete;

  std::vector<blinkComm_t> list;
};

//===-- One process -------------------------------------------------------===//

void Bench::runThreads() {
  const int n = plan_.numPrograms;
  const bool cuda = options_.backend == blinkBackendCuda;
  const std::vector<int> devices = devicesOf(options_, plan_);
  std::unique_ptr<Backend> backend; // its streams outlive communicators
  Comms comms(n);
  const double begin = secondsNow();
  const blinkResult_t result =
      blinkCommInitAll(comms.list.data(), n, cuda ? devices.data() : nullptr,
                       plan_.schedule.get(), &config_);
  if (result != blinkSuccess)
    return shared_.fail(lastError(result));
  shared_.joinSeconds() = secondsNow() - begin;
  backend = cuda ? makeCudaBackend(devices) : std::make_unique<Backend>();
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::thread> threads;
  const bool one = options_.mode == Mode::group;
  for (int rank = 0; rank < (one ? 1 : n); ++rank) {
    workers.push_back(std::make_unique<Worker>(
        options_, plan_.cases, *backend, shared_, rank,
        one ? comms.list : std::vector<blinkComm_t>{comms.list[size_t(rank)]}));
    threads.emplace_back([worker = workers.back().get()] { worker->run(); });
  }
  reportAll();
  for (std::thread &thread : threads)
    thread.join();
}

//===-- A process a rank --------------------------------------------------===//

/// Runs in the process of the rank.
void Bench::runRank(int rank) {
  OwnedComm owner;
  double begin = 0, end = 0; // when the last rank arrived
  if (!shared_.barrier(&begin) ||
      !joinRanks(plan_.numPrograms, rank, shared_, plan_.schedule.get(),
                 config_, owner) ||
      !shared_.barrier(&end))
    return;
  if (rank == 0)
    shared_.joinSeconds() = end - begin;
  Backend backend;
  Worker(options_, plan_.cases, backend, shared_, rank, {owner.comm}).run();
}

void Bench::runProcesses() {
  runRankProcesses(
      plan_.numPrograms, shared_, [this](int rank) { runRank(rank); },
      [this] { reportAll(); });
}

} // namespace

size_t referenceBytes(const Plan &plan) {
  size_t most = 0;
  for (const Case &c : plan.cases)
    if (c.reduces())
      most = std::max(most, c.inputBytes());
  return most;
}

double secondsNow() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::vector<int> devicesOf(const Options &options, const Plan &plan) {
  const size_t n = size_t(plan.numPrograms);
  if (options.devices.size() > 1 && options.devices.size() != n)
    throw UsageError("--devices: ", options.devices.size(), " GPUs for ", n,
                     " ranks; give one for each rank, or one for all");
  if (options.devices.size() == 1)
    return std::vector<int>(n, options.devices[0]);
  if (!options.devices.empty())
    return options.devices;
  std::vector<int> devices = plan.gpus;
  for (int rank = 0; devices.size() < n; ++rank)
    devices.push_back(rank);
  return devices;
}

RunEnd runBench(const Options &options, const Plan &plan,
                const Report &report) {
  devicesOf(options, plan); // throws before the run, not during it
  try {
    return Bench(options, plan, report).run();
  } catch (const std::bad_alloc &) {
    return {"out of memory"};
  } catch (const std::runtime_error &error) {
    return {error.what()};
  }
}

} // namespace blink::perf
