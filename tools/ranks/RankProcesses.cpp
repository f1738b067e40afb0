//===- RankProcesses.cpp - a process a rank -------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/ranks/RankProcesses.h"

#include "schedules/Text.h"

#include <chrono>
#include <csignal>
#include <exception>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace blink {
namespace {

using Clock = std::chrono::steady_clock;

/// For how long a rank may take to leave when all is done.
constexpr auto kLeavingTime = std::chrono::seconds(10);

/// The process of a rank, from fork() to its end.
[[noreturn]] void runChild(int rank, pid_t parent, SharedState &shared,
                           const std::function<void(int)> &run) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) // it has ended before
    _exit(1);
  try {
    run(rank);
  } catch (const std::exception &error) {
    shared.fail(error.what());
  }
  _exit(0); // what is buffered for standard output is the parent's
}

/// Notes a child that has ended in another way than it should.
void noteEnd(size_t rank, int status, SharedState &shared) {
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    shared.fail(
        textOf("the process of rank ", rank, " ended by ",
               WIFSIGNALED(status)
                   ? "signal " + std::to_string(WTERMSIG(status))
                   : "exit code " + std::to_string(WEXITSTATUS(status))));
}

/// Notes those that have ended; whether none is left.
bool reap(std::vector<pid_t> &children, SharedState &shared) {
  bool none = true;
  for (size_t rank = 0; rank < children.size(); ++rank) {
    int status = 0;
    if (children[rank] == 0)
      continue;
    if (waitpid(children[rank], &status, WNOHANG) != children[rank]) {
      none = false;
      continue;
    }
    children[rank] = 0;
    noteEnd(rank, status, shared);
  }
  return none;
}

/// Waits until all have ended, and ends those that do not: when the run has
/// failed they may wait for the one that has.
void endAll(std::vector<pid_t> &children, SharedState &shared) {
  const auto deadline = Clock::now() + kLeavingTime;
  while (!reap(children, shared) && !shared.failed() && Clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  for (size_t rank = 0; rank < children.size(); ++rank) {
    int status = 0;
    if (children[rank] == 0 || kill(children[rank], SIGKILL) != 0)
      continue;
    if (waitpid(children[rank], &status, 0) == children[rank])
      noteEnd(rank, status, shared);
  }
}

} // namespace

void runRankProcesses(int numRanks, SharedState &shared,
                      const std::function<void(int rank)> &run,
                      const std::function<void()> &meanwhile) {
  std::vector<pid_t> children;
  const pid_t self = getpid();
  for (int rank = 0; rank < numRanks && !shared.failed(); ++rank) {
    const pid_t child = fork();
    if (child == 0)
      runChild(rank, self, shared, run);
    if (child == -1)
      shared.fail(textOf("cannot start a process for rank ", rank));
    else
      children.push_back(child);
  }
  shared.setPoll([&] { reap(children, shared); });
  meanwhile();
  shared.setPoll({});
  endAll(children, shared);
}

std::string lastError(blinkResult_t result) {
  return std::string(blinkGetErrorString(result)) + ": " +
         blinkGetLastError(nullptr);
}

bool joinRanks(int numRanks, int rank, SharedState &shared,
               blinkSchedule_t schedule, const blinkConfig_t &config,
               RankComm &comm) {
  blinkUniqueId id{};
  blinkResult_t result = rank == 0 ? blinkGetUniqueId(&id) : blinkSuccess;
  if (rank == 0 && result == blinkSuccess)
    shared.putId(id);
  else if (rank != 0 && !shared.getId(id))
    return false;
  if (result == blinkSuccess)
    result = blinkCommInitRank(&comm.comm, numRanks, id, rank, -1, schedule,
                               &config);
  if (result != blinkSuccess)
    shared.fail(lastError(result));
  return result == blinkSuccess;
}

} // namespace blink
