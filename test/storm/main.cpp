//===- main.cpp - the storm -----------------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Runs one job after the other until the time is over, the calls have been
// made, or something is wrong.
//
//===----------------------------------------------------------------------===//

#include "test/common/Folders.h"
#include "test/storm/Job.h"
#include "test/storm/Memory.h"
#include "test/storm/Options.h"
#include "test/storm/Processes.h"
#include "test/transport/SocketTransport.h"

#if BLINK_TEST_CUDA
#include "runtime/cuda/Kernels.h"
#endif

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

using namespace blink::storm;

namespace {

volatile std::sig_atomic_t interrupted = 0;

void interrupt(int) { interrupted = 1; }

Limits limitsOf(const Options &options) {
  Limits limits;
  limits.mostBytes = options.mostBytes;
  limits.servers = !options.servers.empty();
#if BLINK_TEST_CUDA
  if (cudaGetDeviceCount(&limits.devices) != cudaSuccess || limits.devices == 0)
    throw std::runtime_error("there is no GPU");
  uint32_t resident = 0;
  if (blink::runtime::prepareLanes(resident) != cudaSuccess)
    throw std::runtime_error("cannot load the kernels");
#if !BLINK_TEST_EMULATED
  // A lane takes a whole multiprocessor, so lanes on all of them would wait
  // forever for a rank whose copy has to come first. One for copies suffices:
  // they wait for nothing but room. This many let ranks copy side by side.
  constexpr uint32_t kForCopies = 4;
  constexpr uint32_t kLeast = 32; // for two ranks of any small schedule
  if (resident < kForCopies + kLeast)
    throw std::runtime_error("the GPU is too small");
  resident -= kForCopies;
#endif
  limits.residentLanes = resident;
  if (limits.servers && limits.devices < 2)
    throw std::runtime_error("--servers needs a GPU a rank, and there is one");
#endif
  return limits;
}

void say(const JobPlan &job, const Options &options, const Findings &findings) {
  std::printf("storm: %s\n", job.describe().c_str());
  for (const std::string &text : findings.texts())
    std::printf("storm: %s\n", text.c_str());
  std::printf("storm: repeat it with");
  for (const std::string &argument :
       options.argumentsFor(job.number, job.calls))
    std::printf(" %s", argument.c_str());
  std::printf("\n");
}

/// Sets the environment of the processes that this one starts: how their
/// servers reach each other.
void prepareServers(const Options &options) {
  if (options.servers.empty())
    return;
  setenv("BLINK_SOCKET_IFNAME", "=lo", /*overwrite=*/0);
  // The processors may be busy with other work for seconds.
  setenv("BLINK_HEARTBEAT_MS", "30000", /*overwrite=*/0);
#if BLINK_HAVE_UCX
  setenv("LD_LIBRARY_PATH", blink::test::networkFolder().c_str(), 1);
  // LeakSanitizer itself crashes on modules that are loaded late.
  if (options.servers == "ucx")
    setenv("LSAN_OPTIONS", "detect_leaks=0", 1);
#endif
}

int runAsMember(const Options &options) {
  if (options.servers == "sockets")
    blink::test::useSockets(blink::sched::ChannelKind::network);
  JobPlan job =
      planJob(options.seed, options.job.value_or(0), limitsOf(options));
  job.calls = unsigned(options.calls);
  Findings findings;
  runMember(job, *options.member, idOfMember(), findings, meetOtherMembers);
  for (const std::string &text : findings.texts())
    std::printf("storm: %s\n", text.c_str());
  return findings.wrongCalls() != 0 ? kWrongResults : findings.empty() ? 0 : 1;
}

int runStorm(const Options &options) {
  prepareServers(options);
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
  size_t wrong = 0, errors = 0;
  const auto isOver = [&] {
    return wrong + errors != 0 || interrupted != 0 ||
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
    errors += findings.errors();
    if (!findings.empty())
      say(job, options, findings);
    if (options.job)
      break;
  }
  std::printf("storm: %.1f s, %.0f calls/s\n", seconds(),
              double(calls) / seconds());
  std::printf("%llu calls, %zu wrong, %zu errors, seed %llu\n",
              static_cast<unsigned long long>(calls), wrong, errors, seed);
  return wrong + errors == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  // Ranks may share a GPU. Kernels that wait for each other must not share a
  // hardware queue. How the driver distributes streams among queues is not
  // documented; both if it takes an idle queue and if it takes one after the
  // other, each stream has its own: a job's ranks on a GPU make all of theirs
  // in a row, together with one that a communicator makes for messages. The
  // queues for copies are others, and keep no ranks apart (CopyKernel.h).
#if BLINK_TEST_CUDA && !BLINK_TEST_EMULATED
  constexpr int kMostQueues = 32;
  static_assert(Limits{}.mostRanks * int(Streams::kNumber + 1) < kMostQueues,
                "streams would share queues");
#endif
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
#if defined(__SANITIZE_THREAD__)
  // For the processes that this one starts; this process has read its own
  // options.
  const char *own = std::getenv("TSAN_OPTIONS");
  setenv("TSAN_OPTIONS",
         (std::string(own ? own : "") + " suppressions=" +
          blink::test::sourceFolder() + "/test/storm/processes.supp")
             .c_str(),
         1);
#endif
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
