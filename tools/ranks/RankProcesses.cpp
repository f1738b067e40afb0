//===- RankProcesses.cpp - one process per rank ---------------------------===//
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

/// Longer than the runtime waits for heartbeats, since its error says more.
/// This limit is for ranks that are stopped while no other rank waits for them
/// in a call.
constexpr auto kStopTime = std::chrono::seconds(2);

struct Child {
  pid_t process; ///< 0: it has ended
  bool stopped = false;
  Clock::time_point stoppedAt{};
};

/// The process of a rank, from fork() to its end.
[[noreturn]] void runChild(int rank, pid_t parent, SharedState &shared,
                           const std::function<void(int)> &run) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) // the parent has already ended
    _exit(1);
  try {
    run(rank);
  } catch (const std::exception &error) {
    shared.fail(error.what());
  }
  _exit(0); // does not flush the parent's standard output
}

/// Reports a child that did not exit normally.
void noteEnd(size_t rank, int status, SharedState &shared) {
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    shared.fail(
        textOf("the process of rank ", rank, " ended by ",
               WIFSIGNALED(status)
                   ? "signal " + std::to_string(WTERMSIG(status))
                   : "exit code " + std::to_string(WEXITSTATUS(status))));
}

/// Records what happened to each child; returns whether all have ended.
bool look(std::vector<Child> &children, SharedState &shared) {
  bool none = true;
  for (size_t rank = 0; rank < children.size(); ++rank) {
    Child &child = children[rank];
    int status = 0;
    while (child.process != 0 &&
           waitpid(child.process, &status, WNOHANG | WUNTRACED | WCONTINUED) ==
               child.process) {
      child.stopped = WIFSTOPPED(status);
      child.stoppedAt = Clock::now();
      if (WIFSTOPPED(status) || WIFCONTINUED(status))
        continue;
      child.process = 0;
      noteEnd(rank, status, shared);
    }
    none &= child.process == 0;
    if (child.stopped && Clock::now() - child.stoppedAt > kStopTime)
      shared.fail(textOf("the process of rank ", rank, " is stopped"));
  }
  return none;
}

/// Waits until all children have ended or the run has failed. After a failure
/// it kills the rest, which may be waiting for the rank that failed.
void endAll(std::vector<Child> &children, SharedState &shared) {
  while (!look(children, shared) && !shared.failed())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  for (const Child &child : children)
    if (child.process != 0 && kill(child.process, SIGKILL) == 0)
      waitpid(child.process, nullptr, 0);
}

} // namespace

void runRankProcesses(int numRanks, SharedState &shared,
                      const std::function<void(int rank)> &run,
                      const std::function<void()> &meanwhile) {
  std::vector<Child> children;
  const pid_t self = getpid();
  for (int rank = 0; rank < numRanks && !shared.failed(); ++rank) {
    const pid_t child = fork();
    if (child == 0)
      runChild(rank, self, shared, run);
    if (child == -1)
      shared.fail(textOf("cannot start a process for rank ", rank));
    else
      children.push_back({child});
  }
  shared.setPoll([&] { look(children, shared); });
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
               OwnedComm &comm) {
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
