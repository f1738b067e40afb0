//===- main.cpp - the storm -----------------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Runs one job after the other until the time is over, the calls are made or
// something is wrong.
//
//===----------------------------------------------------------------------===//

#include "test/storm/Job.h"
#include "test/storm/Options.h"
#include "test/storm/Processes.h"

#if BLINK_TEST_CUDA
#include "runtime/cuda/Kernels.h"
#endif

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <unistd.h>

/// In the environment of processes that the storm starts.
static constexpr char kMember[] = "BLINK_STORM_MEMBER=1";

#if defined(__SANITIZE_THREAD__)
/// A chunk that goes to another process and comes back is ordered by what that
/// process does, and ThreadSanitizer sees one process. The same folds are
/// checked without exception in jobs of one process. Called before
/// ThreadSanitizer is ready: functions of the C library, which it replaces,
/// cannot be called yet.
extern "C" __attribute__((no_sanitize("thread"))) const char *
__tsan_default_suppressions() {
  for (char **entry = environ; entry && *entry; ++entry) {
    size_t same = 0;
    while (kMember[same] != 0 && (*entry)[same] == kMember[same])
      ++same;
    if (kMember[same] == 0)
      return "race:foldRange\nrace:foldLines\n";
  }
  return "";
}
#endif

using namespace blink::storm;

namespace {

volatile std::sig_atomic_t interrupted = 0;

void interrupt(int) { interrupted = 1; }

Limits limitsOf(const Options &options) {
  Limits limits;
  limits.mostBytes = options.mostBytes;
#if BLINK_TEST_CUDA
  if (cudaGetDeviceCount(&limits.devices) != cudaSuccess || limits.devices == 0)
    throw std::runtime_error("there is no GPU");
  uint32_t resident = 0;
  if (blink::runtime::prepareLanes(resident) != cudaSuccess)
    throw std::runtime_error("cannot load the kernels");
  limits.residentLanes = resident;
#endif
  return limits;
}

void say(const JobPlan &job, const Options &options, const Findings &findings) {
  std::printf("storm: %s\n", job.describe().c_str());
  for (const std::string &text : findings.texts())
    std::printf("storm: wrong: %s\n", text.c_str());
  std::printf("storm: repeat it with");
  for (const std::string &argument :
       options.argumentsFor(job.number, job.calls))
    std::printf(" %s", argument.c_str());
  std::printf("\n");
}

int runAsMember(const Options &options) {
  JobPlan job =
      planJob(options.seed, options.job.value_or(0), limitsOf(options));
  job.calls = unsigned(options.calls);
  Findings findings;
  runMember(job, *options.member, idOfMember(), findings, meetOtherMembers);
  for (const std::string &text : findings.texts())
    std::printf("storm: wrong: %s\n", text.c_str());
  return findings.wrongCalls() == 0 ? 0 : 1;
}

int runStorm(const Options &options) {
  const unsigned long long seed = options.seed;
  std::printf("storm: seed %llu\n", seed);
  std::fflush(stdout);
  const Limits limits = limitsOf(options);
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         begin)
        .count();
  };
  uint64_t calls = 0;
  size_t wrong = 0;
  const auto isOver = [&] {
    return wrong != 0 || interrupted != 0 ||
           (options.calls != 0 ? calls == options.calls
                               : calls != 0 && !options.endless() &&
                                     seconds() >= options.seconds);
  };
  for (unsigned number = options.job.value_or(0); !isOver(); ++number) {
    JobPlan job = planJob(options.seed, number, limits);
    if (options.calls != 0)
      job.calls =
          unsigned(std::min<uint64_t>(job.calls, options.calls - calls));
    if (options.verbose)
      std::printf("%.1f s: %s\n", seconds(), job.describe().c_str());
    std::fflush(stdout);
    Findings findings;
    if (job.processes)
      runProcesses(job, options.argumentsFor(job.number, job.calls), findings);
    else
      runJob(job, findings);
    calls += job.calls;
    wrong += findings.wrongCalls();
    if (wrong != 0)
      say(job, options, findings);
    if (options.job)
      break;
  }
  std::printf("storm: %.1f s, %.0f calls/s\n", seconds(),
              double(calls) / seconds());
  std::printf("%llu calls, %zu wrong, seed %llu\n",
              static_cast<unsigned long long>(calls), wrong, seed);
  return wrong == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  // Ranks that share a GPU: kernels that wait for each other must not stand in
  // one queue.
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  static char member[sizeof(kMember)];
  std::memcpy(member, kMember, sizeof(kMember));
  putenv(member);
  std::signal(SIGINT, interrupt);
  Options options;
  int exitCode = 0;
  if (!parseOptions(argc, argv, options, exitCode))
    return exitCode;
  try {
    return options.member ? runAsMember(options) : runStorm(options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "storm: %s\n", error.what());
    return 1;
  }
}
