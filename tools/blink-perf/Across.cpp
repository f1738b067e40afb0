//===- Across.cpp - workers in processes, perhaps of several servers ------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Across.h"

#include "tools/blink-perf/IdFile.h"
#include "tools/blink-perf/Worker.h"
#include "tools/ranks/RankProcesses.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace blink::perf {
namespace {

constexpr int kDefaultTimeoutMs = 30000;

/// Returns the processor time of this process, including its progress threads.
double cpuNow() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval &time) {
    return double(time.tv_sec) + 1e-6 * double(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Returns how long ranks wait for each other's files: as long as for each
/// other.
int timeoutOf(const Options &options) {
  if (options.timeoutMs != 0)
    return options.timeoutMs;
  const char *text = std::getenv("BLINK_TIMEOUT_MS");
  const int ms = text ? std::atoi(text) : 0;
  return ms > 0 ? ms : kDefaultTimeoutMs;
}

} // namespace

template <typename T>
bool Across::exchange(T *values, size_t count, blinkRedOp_t op) {
  int ranks = 0;
  blinkCommCount(comm_, &ranks);
  std::vector<T> all(size_t(ranks) * count);
  const blinkResult_t result = blinkCommExchange(
      comm_, values, count * sizeof(T), all.data(), nullptr, 0);
  if (result != blinkSuccess) {
    fail(lastError(result));
    return false;
  }
  for (size_t v = 0; v < count; ++v) {
    T combined = all[v];
    for (size_t other = v + count; other < all.size(); other += count)
      combined = op == blinkMax ? std::max(combined, all[other])
                                : combined + all[other];
    values[v] = combined;
  }
  return true;
}

template <typename T>
bool Across::combine(T *values, size_t count, blinkDataType_t type,
                     blinkRedOp_t op) {
  if (failed())
    return false;
  if (!exchanges_) {
    const blinkResult_t result =
        blinkAllReduce(values, values, count, type, op, comm_, nullptr);
    exchanges_ = result == blinkInvalidUsage; // the same on all ranks
    if (!exchanges_ && result != blinkSuccess)
      fail(lastError(result));
    if (!exchanges_)
      return result == blinkSuccess;
  }
  return exchange(values, count, op);
}

bool Across::barrier(double *seconds) {
  double longest = secondsNow() - left_;
  double cpu = cpuNow() - cpuAtLeaving_;
  if (!combine(&longest, 1, blinkFloat64, blinkMax))
    return false;
  if (seconds) {
    if (!combine(&cpu, 1, blinkFloat64, blinkSum))
      return false;
    clock_ += longest;
    *seconds = clock_;
    cpu_ = cpu;
  }
  cpuAtLeaving_ = cpuNow();
  left_ = secondsNow();
  return true;
}

bool Across::conclude(size_t index, bool) {
  Result &mine = result(index);
  uint64_t wrong[2] = {mine.wrong[0], mine.wrong[1]};
  if (!combine(wrong, 2, blinkUint64, blinkSum))
    return false;
  // All ranks need the same times, since they decide by them, as with --tune.
  if (!combine(mine.seconds, 2, blinkFloat64, blinkMax))
    return false;
  for (int i = 0; i < 2; ++i)
    mine.wrong[i] = wrong[i];
  finish(uint32_t(index + 1));
  return true;
}

RunEnd runJob(const Options &options, const Plan &plan,
              const std::function<void(size_t index, const Result &)> &report) {
  if (options.rank == -1)
    return runBench(options, plan, report);
  const int ranks = plan.numPrograms;
  if (options.rank >= ranks)
    throw UsageError("--rank: the schedules are for ", ranks,
                     " ranks, so there is no rank ", options.rank);
  checkQuestions(options.idFile, options.rank, ranks);
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.backend = options.backend;
  config.timeoutMs = options.timeoutMs;
  if (!plan.gpus.empty())
    config.gpus = plan.gpus.data();
  OwnedComm owner;
  try {
    blinkUniqueId id{};
    blinkResult_t result = blinkSuccess;
    double begin = 0;
    if (options.rank == 0)
      result = blinkGetUniqueId(&id);
    if (result == blinkSuccess) {
      shareId(options.idFile, options.rank, ranks, timeoutOf(options), id);
      begin = secondsNow();
      result = blinkCommInitRank(&owner.comm, ranks, id, options.rank, -1,
                                 plan.schedule.get(), &config);
    }
    if (result != blinkSuccess)
      return {lastError(result)};
    const double joinSeconds = secondsNow() - begin;
    Across shared(owner.comm, plan.cases.size(), referenceBytes(plan));
    Backend backend;
    std::thread thread([&] {
      Worker(options, plan.cases, backend, shared, options.rank, {owner.comm})
          .run();
    });
    for (size_t i = 0; i < plan.cases.size() && shared.waitFor(uint32_t(i + 1));
         ++i)
      report(i, shared.result(i));
    thread.join();
    return {shared.failure(), joinSeconds};
  } catch (const std::bad_alloc &) {
    return {"out of memory"};
  } catch (const std::runtime_error &error) {
    return {error.what()};
  }
}

} // namespace blink::perf
