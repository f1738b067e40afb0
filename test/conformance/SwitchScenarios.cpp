//===- SwitchScenarios.cpp - processes that a switch helps ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/SwitchScenarios.h"

#include "runtime/cuda/Launch.h"
#include "runtime/cuda/LeftMemory.h"
#include "test/conformance/Job.h"
#include "test/conformance/WorkerState.h"
#include "test/emulation/Emulation.h"
#include "test/emulation/Failures.h"
#include "test/emulation/VirtualMemory.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <functional>
#include <thread>
#include <unistd.h>
#include <utility>

namespace blink::test {
namespace {

/// The number of collectives launched with and without a switch.
std::atomic<unsigned> switched{0}, plain{0};

void countHook(const runtime::Launch &launch, unsigned block, unsigned thread,
               unsigned barrier) {
  if (block == 0 && thread == 0 && barrier == 0)
    ++(launch.inSwitch ? switched : plain);
}

/// A rank of this process.
struct Member {
  int rank;
  blinkComm_t comm = nullptr;

  std::string error() const { return blinkGetLastError(comm); }
};

Case sumOf(blinkDataType_t type, size_t count, unsigned number) {
  Case c = variedCase(Collective::allreduce, count, 0, number);
  c.op = blinkSum;
  c.type = type;
  return c;
}

int deviceOfThis() {
  int device = 0;
  cudaGetDevice(&device);
  return device;
}

/// Runs the cases without waiting in between. Returns "" or what is wrong.
std::string reduceCases(const Member &own, const std::vector<Case> &cases) {
  std::vector<RankBuffers> buffers;
  for (const Case &c : cases)
    buffers.emplace_back(c, numRanks, own.rank);
  for (size_t i = 0; i < cases.size(); ++i)
    if (call(cases[i], buffers[i].send(), buffers[i].recv(), own.comm) !=
        blinkSuccess)
      return own.error();
  blinkResult_t result = blinkSuccess;
  if (cudaStreamSynchronize(nullptr) != cudaSuccess ||
      blinkCommGetAsyncError(own.comm, &result) != blinkSuccess ||
      result != blinkSuccess)
    return own.error();
  for (size_t i = 0; i < cases.size(); ++i)
    if (std::string wrong = buffers[i].check(); !wrong.empty())
      return cases[i].describe() + ": " + wrong;
  return "";
}

constexpr unsigned kAlone = 20, kFollowing = 40;

std::string reduceAll(const Member &own) {
  constexpr size_t kCounts[] = {1, 2, 3, 17, 255, 256, 257, 1000, 5003, 12001};
  constexpr blinkDataType_t kSwitchTypes[] = {
      blinkFloat32, blinkFloat64, blinkFloat16, blinkBfloat16,
      blinkInt32,   blinkUint32,  blinkInt64,   blinkUint64};
  std::string wrong;
  for (unsigned i = 0; i < kAlone && wrong.empty(); ++i)
    wrong =
        reduceCases(own, {sumOf(kSwitchTypes[i % 8], kCounts[i / 2], i * 5)});
  std::vector<Case> following;
  for (unsigned i = 0; i < kFollowing; ++i)
    following.push_back(sumOf(kSwitchTypes[i % 3], 1 + i * 977 % 6000, i * 3));
  if (wrong.empty())
    wrong = reduceCases(own, following);
  for (Case &c : following)
    c.op = blinkMax; // done by links
  return wrong.empty() ? reduceCases(own, following) : wrong;
}

/// Checks that the switch worked for all sums of `members` ranks, or for none
/// if `works` is false. Returns "" or what is wrong.
std::string checkUse(size_t members, bool works) {
  const size_t sums = members * (kAlone + kFollowing),
               others = members * kFollowing;
  if (switched == (works ? sums : 0) && plain == others + (works ? 0 : sums))
    return "";
  return std::to_string(switched) + " launches had a switch, " +
         std::to_string(plain) + " none";
}

/// Runs `body` for each rank in a thread with the rank's device. Returns the
/// first error, or "".
std::string onThreads(std::vector<Member> &members,
                      const std::function<std::string(Member &)> &body) {
  std::vector<std::string> said(members.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < members.size(); ++i)
    threads.emplace_back([&, i, device = deviceOfThis() + int(i)] {
      cudaSetDevice(device);
      said[i] = body(members[i]);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &wrong : said)
    if (!wrong.empty())
      return wrong;
  return "";
}

/// Collects what is written to standard error during the object's lifetime.
class ErrorOutput {
public:
  ErrorOutput() : before_(dup(2)), file_(std::tmpfile()) {
    dup2(fileno(file_), 2);
  }
  ~ErrorOutput() {
    dup2(before_, 2);
    close(before_);
    std::fclose(file_);
  }
  ErrorOutput(const ErrorOutput &) = delete;
  /// Returns the lines that contain `part`.
  std::vector<std::string> lines(const char *part) const {
    std::vector<std::string> found;
    char line[2000];
    for (std::rewind(file_); std::fgets(line, sizeof(line), file_);)
      if (std::string(line).find(part) != std::string::npos)
        found.emplace_back(line);
    return found;
  }

private:
  int before_;
  FILE *file_;
};

// Where a rank pauses, or dies if diesThere.
int endAt = -1; ///< the barrier's number
bool diesThere = false;
std::atomic<const void *> endingOutput{nullptr};

void endHook(const runtime::Launch &launch, unsigned block, unsigned thread,
             unsigned barrier) {
  if (block != 0 || thread != 0 || int(barrier) != endAt ||
      launch.ranks[0].recv != endingOutput)
    return;
  if (diesThere)
    raise(SIGKILL);
  pauseThread(std::chrono::milliseconds(400));
}

/// Rank `ending` dies in the middle of a call, or aborts while the first rank
/// pauses there. In the latter case the call's result does not matter.
std::string endInCall(Member &own, int ending) {
  const Case c = sumOf(blinkFloat32, 200, 0);
  RankBuffers buffers(c, numRanks, own.rank);
  if (own.rank == (diesThere ? ending : 0))
    endingOutput = buffers.recv();
  // The call of a late rank may find the other rank gone.
  if (call(c, buffers.send(), buffers.recv(), own.comm) != blinkSuccess &&
      !diesThere)
    return own.rank != ending &&
                   own.error().find(" aborted") != std::string::npos
               ? ""
               : own.error();
  if (own.rank == ending && !diesThere) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return blinkCommAbort(std::exchange(own.comm, nullptr)) == blinkSuccess
               ? ""
               : "cannot abort";
  }
  cudaStreamSynchronize(nullptr);
  blinkResult_t result = blinkSuccess;
  for (int tries = 0; result == blinkSuccess && diesThere && tries < 1000;
       ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    blinkCommGetAsyncError(own.comm, &result);
  }
  const std::string who = "the process of rank " + std::to_string(ending) + ",";
  return !diesThere || own.error().find(who) == 0 ? "" : own.error();
}

/// Returns "" once everything that the communicator held has been freed, within
/// a few seconds of its destruction: other ranks may be later.
std::string checkLeft(size_t before) {
  for (int tries = 0; numVirtual() != before && tries < 1000; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    runtime::freeLeftMemory();
  }
  const std::string harm = misuse();
  return numVirtual() != before ? "something stays mapped" : harm;
}

/// The settings that a scenario's name contains.
struct Plan {
  explicit Plan(const std::string &name) : name(name) {
    victim = numRanks - 1;
    if (const char *rank = after("rank="))
      victim = std::atoi(rank);
    diesThere = after("killed=");
    if (const char *barrier = after(diesThere ? "killed=" : "ends="))
      endAt = std::atoi(barrier);
  }
  /// Returns the text after a word, or null.
  const char *after(const char *word) const {
    const size_t found = name.find(word);
    return found == std::string::npos ? nullptr
                                      : name.c_str() + found + strlen(word);
  }
  bool works() const {
    return !after("fails=") && !after("without") && !after("one");
  }
  /// Prepares what is to happen to this process.
  void harm() const {
    if (after("without"))
      emulatedMachine.multicast = false;
    char function[64];
    unsigned n = 0;
    for (const auto &[word, error] :
         {std::pair{"fails=", int(CUDA_ERROR_NOT_PERMITTED)},
          std::pair{"dies=", kDies}, std::pair{"late=", kIsLate}})
      if (const char *where = after(word);
          where && std::sscanf(where, "%63[^@]@%u", function, &n) == 2)
        failCall(function, n, error);
  }

  const std::string &name;
  int victim;
};

/// Makes the communicators of this process's ranks. If no switch works for
/// them, each must say so in the log.
std::string joinAll(std::vector<Member> &members, const Plan &plan,
                    const JoinRank &join) {
  const ErrorOutput output;
  const std::string wrong = onThreads(
      members, [&](Member &member) { return join(member.rank, member.comm); });
  if (!wrong.empty())
    return wrong;
  const auto lines = output.lines("without the switch's help");
  if (lines.size() != (plan.works() ? 0 : members.size()))
    return std::to_string(lines.size()) + " lines that no switch works";
  const std::string reason =
      plan.after("one") ? ": several ranks are on one GPU\n"
                        : ": rank " + std::to_string(plan.victim) + ": ";
  for (const std::string &line : lines)
    if (line.find(reason) == std::string::npos)
      return "not the reason: " + line;
  return failuresLeft() != 0 ? "it is not called so often" : "";
}

} // namespace

std::string switchScenario(const std::string &name, const JoinRank &join) {
  const Plan plan(name);
  std::vector<Member> members = {{self}};
  if (plan.after("pairs"))
    members.push_back({self + 1});
  if (plan.victim == self)
    plan.harm();
  setenv("BLINK_DEBUG", "WARN", 1);
  const size_t before = numVirtual();
  std::string wrong = joinAll(members, plan, join);
  if (wrong.empty() && !plan.works() && numVirtual() != before)
    wrong = "something of the switch's is left";
  if (wrong.empty() && endAt >= 0) {
    const LaneHookScope hook(endHook);
    wrong = onThreads(members, [&](Member &member) {
      return endInCall(member, plan.victim);
    });
  } else if (wrong.empty()) {
    const LaneHookScope hook(countHook);
    wrong = onThreads(members, reduceAll);
    if (wrong.empty())
      wrong = checkUse(members.size(), plan.works());
  }
  for (const Member &member : members)
    blinkCommDestroy(member.comm);
  if (wrong.empty())
    wrong = checkLeft(before);
  return wrong.empty() ? "good" : wrong;
}

} // namespace blink::test
