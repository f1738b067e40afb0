//===- ReplayServers.cpp - a replay by processes on servers ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/replay/ReplayServers.h"

#include "runtime/plan/Servers.h"
#include "schedules/ScheduleFile.h"
#include "tools/ranks/RankProcesses.h"
#include "tools/replay/ReplayBuffers.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

namespace blink {
namespace {

/// The results of a rank's checks, written by its process.
struct RankResult {
  uint64_t checked, wrong;
  char firstWrong[112];
};

runtime::ResolvedProgram resolved(const sched::Schedule &schedule,
                                  const sched::Program &program) {
  return {&program, &schedule, program.root(), {}};
}

/// Returns a BLINK_NET_DEVICES that maps all NICs that the topology names to
/// the loopback device, as their machines are not here: "s0nic=lo,s1nic=lo".
/// Throws std::runtime_error: programs for the ranks disagree about their
/// servers.
std::string loopbackDevices(const sched::Schedule &schedule, int numRanks) {
  std::vector<runtime::ResolvedProgram> programs;
  for (const sched::Program *program : *schedule.programs())
    if (int(sched::numPrograms(*program)) == numRanks)
      programs.push_back(resolved(schedule, *program));
  runtime::Servers servers;
  if (runtime::Status status = servers.find(programs, numRanks, {});
      !status.ok())
    throw std::runtime_error(status.text);
  for (const runtime::ResolvedProgram &program : programs)
    for (const sched::Variant *variant : *program.program->variants())
      for (const sched::Channel *channel : *variant->channels())
        servers.nicsOf(program, *variant, *channel);
  std::vector<std::string> devices;
  for (const runtime::NicPlan &nic : servers.nics())
    if (!nic.device.empty())
      devices.push_back(nic.name + "=lo");
  return joined(devices);
}

class ServerReplay {
public:
  ServerReplay(const std::vector<uint8_t> &file,
               const sched::Schedule &schedule, const sched::Program &program,
               const ReplayOptions &options)
      : file_(file), program_(program), options_(options),
        numRanks_(int(sched::numPrograms(program))),
        shared_(numRanks_, size_t(numRanks_) * sizeof(RankResult) +
                               size_t(options.iterations) * sizeof(double)),
        devices_(loopbackDevices(schedule, numRanks_)) {}

  void run(ReplayResult &result);

private:
  void runRank(int rank);
  bool iterate(int rank, int iteration, blinkComm_t comm,
               ReplayBuffers &buffers, ReplayResult &mine);
  RankResult &resultOf(int rank) {
    return reinterpret_cast<RankResult *>(shared_.room())[rank];
  }
  double *seconds() { return reinterpret_cast<double *>(&resultOf(numRanks_)); }

  const std::vector<uint8_t> &file_;
  const sched::Program &program_;
  const ReplayOptions &options_;
  int numRanks_; ///< including relays
  SharedState shared_;
  std::string devices_;
};

/// Runs in the process of the rank.
void ServerReplay::runRank(int rank) {
  setenv("BLINK_SOCKET_IFNAME", "=lo", /*overwrite=*/1);
  if (!devices_.empty())
    setenv("BLINK_NET_DEVICES", devices_.c_str(), /*overwrite=*/1);
  else
    unsetenv("BLINK_NET_DEVICES");
  ReplayBuffers buffers(program_, options_);
  buffers.allocate(rank, rank + 1);
  blinkSchedule_t opened = nullptr;
  if (blinkResult_t code =
          blinkScheduleOpenMemory(file_.data(), file_.size(), &opened))
    return shared_.fail(lastError(code));
  const OwnedSchedule schedule(opened);
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.timeoutMs = options_.timeoutMs;
  OwnedComm owner;
  if (!joinRanks(numRanks_, rank, shared_, opened, config, owner))
    return;
  ReplayResult mine;
  for (int i = 0; i < options_.iterations; ++i)
    if (!iterate(rank, i, owner.comm, buffers, mine))
      return;
  RankResult &result = resultOf(rank);
  result.checked = mine.checked;
  result.wrong = mine.wrong;
  std::strncpy(result.firstWrong, mine.firstWrong.c_str(),
               sizeof(result.firstWrong) - 1);
  if (shared_.barrier() && rank == 0)
    shared_.finish(1);
}

bool ServerReplay::iterate(int rank, int iteration, blinkComm_t comm,
                           ReplayBuffers &buffers, ReplayResult &mine) {
  buffers.fill();
  double begin = 0, end = 0;
  if (!shared_.barrier(&begin))
    return false;
  if (blinkResult_t code = buffers.call(rank, comm)) {
    shared_.fail(lastError(code));
    return false;
  }
  if (!shared_.barrier(&end))
    return false;
  if (rank == 0)
    seconds()[iteration] = end - begin;
  buffers.check(mine);
  return true;
}

void ServerReplay::run(ReplayResult &result) {
  runRankProcesses(
      numRanks_, shared_, [this](int rank) { runRank(rank); },
      [this] { shared_.waitFor(1); });
  result.error = shared_.failure();
  for (int rank = 0; rank < numRanks_; ++rank) {
    const RankResult &one = resultOf(rank);
    if (result.wrong == 0)
      result.firstWrong = one.firstWrong;
    result.checked += one.checked;
    result.wrong += one.wrong;
  }
  result.seconds.assign(seconds(), seconds() + options_.iterations);
}

} // namespace

int numServers(const sched::Schedule &schedule, const sched::Program &program) {
  std::vector<runtime::ResolvedProgram> programs{resolved(schedule, program)};
  runtime::Servers servers;
  // Cannot fail: a single program has nothing to disagree with.
  (void)servers.find(programs, int(sched::numPrograms(program)), {});
  return servers.numServers();
}

ReplayResult replayOnServers(const std::vector<uint8_t> &file,
                             const sched::Schedule &schedule,
                             const sched::Program &program,
                             const ReplayOptions &options) {
  const ReplayBuffers buffers(program, options);
  ReplayResult result;
  result.bytes = buffers.bytes();
  result.error = buffers.refusal();
  if (!result.error.empty())
    return result;
  try {
    ServerReplay(file, schedule, program, options).run(result);
  } catch (const std::bad_alloc &) {
    result.error = "out of memory";
  } catch (const std::runtime_error &error) {
    result.error = error.what();
  }
  return result;
}

} // namespace blink
