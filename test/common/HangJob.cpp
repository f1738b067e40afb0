//===- HangJob.cpp - a job that hangs, and a command that looks at it -----===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//   blink_hang_job SCHEDULE RANKS FAULT CULPRIT COMMAND
//
// starts RANKS processes that call four allreduces with different counts,
// except that the last two have the same count. One process, the culprit,
// deviates as FAULT says. When the others are stuck the program runs COMMAND in
// a shell, with the culprit's process number in the environment variable
// CULPRIT and another process's in INNOCENT. It then kills all processes and
// exits with the command's status.
//
//===----------------------------------------------------------------------===//

#include "runtime/blink.h"
#include "runtime/flight/PictureReader.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace blink::runtime;

namespace {

/// State that the processes share.
struct Shared {
  blinkUniqueId id;
  uint64_t hasId;
};

[[noreturn]] void waitForTheEnd() {
  for (;;)
    pause();
}

[[noreturn]] void fail(const char *what) {
  std::fprintf(stderr, "%s: %s\n", what, blinkGetLastError(nullptr));
  _exit(3);
}

void nap() { usleep(1000); } // before looking again

/// Whether the rank is waiting or has failed.
bool isStuck(const RankPicture &rank) {
  return !rank.waits.empty() ||
         (!rank.calls.empty() && rank.calls.back().result != blinkSuccess);
}

/// Returns the job in which `process` is rank `rank`, or an empty picture.
JobPicture jobOf(pid_t process, int rank) {
  for (JobPicture &job : readJobs())
    if (size_t(rank) < job.ranks.size() &&
        job.ranks[size_t(rank)].process == uint64_t(process))
      return std::move(job);
  return {};
}

/// Whether all other ranks are stuck in their `call`-th call.
bool othersAreStuck(const JobPicture &job, int rank, size_t call) {
  for (size_t other = 0; other < job.ranks.size(); ++other)
    if (other != size_t(rank) &&
        (job.ranks[other].collectives != call || !isStuck(job.ranks[other])))
      return false;
  return !job.ranks.empty();
}

/// Returns the number of the call in which the others wait for the culprit.
size_t callOf(const std::string &fault) {
  return fault == "swap" ? 1 : fault == "skip" ? 2 : fault == "short" ? 4 : 3;
}

/// Whether every rank has come as far as the fault lets it.
bool isOver(pid_t process, int culprit, const std::string &fault) {
  const JobPicture job = jobOf(process, culprit);
  if (job.ranks.empty())
    return false;
  const RankPicture &odd = job.ranks[size_t(culprit)];
  if (fault == "twice") { // from 1 KiB; smaller messages have another
    const auto inCalls =
        std::count_if(job.ranks.begin(), job.ranks.end(),
                      [](const RankPicture &rank) { return rank.inCall(); });
    return isStuck(odd) && odd.collectives == 5 && inCalls == 1;
  }
  if (!othersAreStuck(job, culprit, callOf(fault)))
    return false;
  if (fault == "stop")
    return odd.liveness == Liveness::stopped;
  if (fault == "die")
    return odd.liveness == Liveness::dead;
  if (fault == "skip" || fault == "swap")
    return odd.collectives == callOf(fault) && !odd.inCall();
  return odd.collectives == callOf(fault) - 1 && !odd.inCall();
}

/// Runs one rank with `fault`; "" for none.
[[noreturn]] void runRank(const char *path, int ranks, int rank,
                          const std::string &fault, Shared &shared) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (rank == 0) {
    if (blinkGetUniqueId(&shared.id) != blinkSuccess)
      fail("id");
    storeRelease(&shared.hasId, 1);
  }
  while (loadAcquire(&shared.hasId) == 0)
    nap();
  blinkSchedule_t schedule;
  blinkComm_t comm;
  if (blinkScheduleOpen(path, &schedule) != blinkSuccess ||
      blinkCommInitRank(&comm, ranks, shared.id, rank, -1, schedule, nullptr) !=
          blinkSuccess)
    fail("communicator");
  std::vector<size_t> counts{1, 2, 3, 3};
  if (fault == "skip")
    counts = {1, 3, 3};
  else if (fault == "short")
    counts = {1, 2, 3};
  else if (fault == "twice")
    counts = {1, 2, 3, 3, 3};
  else if (fault == "swap")
    counts = {2, 1, 3, 3};
  float in[4] = {}, out[4];
  for (size_t call = 0; call < counts.size(); ++call) {
    // The culprit deviates only when all others are in this call.
    const bool odd =
        !fault.empty() && fault != "twice" && call + 1 == callOf(fault);
    while (odd && !othersAreStuck(jobOf(getpid(), rank), rank, call + 1))
      nap();
    if (call == 2 && fault == "die")
      raise(SIGKILL);
    if (call == 2 && fault == "stop")
      raise(SIGSTOP);
    if (call == 2 && fault == "late")
      waitForTheEnd();
    for (volatile bool spins = call == 2 && fault == "spin"; spins;)
      ;
    if (blinkAllReduce(in, out, counts[call], blinkFloat32, blinkSum, comm,
                       nullptr) != blinkSuccess)
      break;
  }
  waitForTheEnd();
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 6)
    return 3;
  const int ranks = std::atoi(argv[2]), culprit = std::atoi(argv[4]);
  const std::string fault = argv[3];
  auto *shared = static_cast<Shared *>(mmap(nullptr, sizeof(Shared),
                                            PROT_READ | PROT_WRITE,
                                            MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::vector<pid_t> processes;
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t process = fork();
    if (process == 0)
      runRank(argv[1], ranks, rank, rank == culprit ? fault : "", *shared);
    processes.push_back(process);
  }
  int looks = 0;
  while (!isOver(processes[size_t(culprit)], culprit, fault) && ++looks < 60000)
    nap();
  setenv("CULPRIT", std::to_string(processes[size_t(culprit)]).c_str(), 1);
  setenv("INNOCENT", std::to_string(processes[size_t(culprit == 0)]).c_str(),
         1);
  const int status = looks < 60000 ? std::system(argv[5]) : -1;
  for (pid_t process : processes) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}
