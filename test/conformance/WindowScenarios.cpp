//===- WindowScenarios.cpp - registered buffers of processes --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/WindowScenarios.h"

#include "runtime/api/Comm.h"
#include "runtime/core/Memory.h"
#include "runtime/host/RankRun.h"
#include "schedules/Collectives.h"
#include "test/conformance/Elements.h"
#include "test/conformance/Forbid.h"
#include "test/conformance/Job.h"
#include "test/conformance/Latches.h"
#include "test/conformance/WorkerState.h"

#include <csignal>
#include <cstring>
#include <thread>

namespace blink::test {
namespace {

/// Chunks that a fold found at an address of another process, not in slots.
std::atomic<int> borrowedChunks{0};

void countBorrowed(int, uint32_t, uint32_t, uint64_t,
                   runtime::HostRings &rings) {
  if (!rings.readers[0].heads) // a transport's, at the other end
    return;
  for (uint32_t slot = 0; slot < 2; ++slot) // as BuildOptions has it
    borrowedChunks += rings.readers[0].heads[slot].address != 0;
}

/// Memory that is registered, or not, and cases in it.
class Arena {
public:
  enum Kind { blocks, ordinary };
  explicit Arena(Kind kind) : ordinary_(kind == ordinary ? 2 * kHalf : 0) {
    void *memory = ordinary_.data();
    if (kind == blocks && blinkMemAlloc(&memory, 2 * kHalf) != blinkSuccess)
      memory = nullptr;
    memory_ = static_cast<char *>(memory);
  }
  ~Arena() {
    if (ordinary_.empty())
      blinkMemFree(memory_);
  }

  enum Part { all, first, second };
  /// Inputs, and what is in place, are in the first part, outputs beside inputs
  /// in the second.
  bool enroll(Part part) {
    char *begin = memory_ + (part == second ? kHalf : kBegin);
    char *end = memory_ + (part == first ? kHalf : 2 * kHalf);
    return blinkCommRegister(comm, begin, size_t(end - begin), &handle_) ==
               blinkSuccess &&
           handle_;
  }
  bool withdraw() { return blinkCommDeregister(comm, handle_) == blinkSuccess; }
  char *memory() const { return memory_; }

  /// Runs the case in here. "" or what is wrong.
  std::string run(const Case &c) {
    RankBuffers buffers(c, numRanks, self);
    const uint64_t block = c.count * size_t(bytesOf(c.type));
    const uint64_t in = block * sched::inputBlocks(c.collective, numRanks);
    const uint64_t out = block * sched::outputBlocks(c.collective, numRanks);
    char *send = static_cast<char *>(const_cast<void *>(buffers.send()));
    char *recv = static_cast<char *>(buffers.recv());
    char *ownSend = memory_ + kBegin + kMargin + (c.misaligned ? 8 : 0);
    char *ownRecv =
        c.inPlace ? ownSend + (recv - send) : ownSend + (kHalf - kBegin);
    if (c.inPlace && recv < send) {
      ownSend += send - recv;
      ownRecv += send - recv;
    }
    const char *end = std::max(ownSend + in, ownRecv + out) + kMargin;
    std::memset(memory_, kUnused, size_t(end - memory_));
    std::memcpy(ownSend, send, in);
    if (!c.inPlace)
      std::memcpy(ownRecv, recv, out);
    const std::string before(memory_, size_t(end - memory_));
    if (call(c, ownSend, ownRecv, comm) != blinkSuccess)
      return blinkGetLastError(comm);
    std::memcpy(recv, ownRecv, out);
    const std::string wrong = buffers.check();
    if (wrong.empty() &&
        (std::memcmp(memory_, before.data(), size_t(ownRecv - memory_)) != 0 ||
         std::memcmp(ownRecv + out, &before[size_t(ownRecv + out - memory_)],
                     size_t(end - (ownRecv + out))) != 0))
      return c.describe() + ": wrote beside the output";
    return wrong;
  }

private:
  static constexpr size_t kHalf = 1 << 20, kBegin = 4096 + 32, kMargin = 64;
  static constexpr char kUnused = 90;
  std::vector<char> ordinary_;
  char *memory_ = nullptr;
  void *handle_ = nullptr;
};

/// Cases before, while and after buffers are registered. With "mixed" one
/// rank's memory is ordinary, with "parts" only some of it is registered. With
/// "confined" a process may not read the others' memory, with "closed" it may
/// not map it.
std::string runWindows(const std::string &how) {
  auto is = [&](const char *word) {
    return how.find(word) != std::string::npos;
  };
  if (is("closed") && self == numRanks - 1 && !forbid(__NR_openat))
    return "cannot confine the process";
  Arena arena(is("mixed") && self == 0 ? Arena::ordinary : Arena::blocks);
  runtime::stepHook = countBorrowed;
  for (int round = 0; round < 4; ++round) {
    if ((round >= 2 && !arena.withdraw()) ||
        ((round == 1 || round == 2) &&
         !arena.enroll(is("parts") ? Arena::Part((self + round) % 3)
                                   : Arena::all)))
      return blinkGetLastError(comm);
    unsigned number = unsigned(round);
    for (Collective collective : collectives())
      for (size_t count : {size_t(1), size_t(1000), size_t(20011)}) {
        const Case c = variedCase(collective, count, numRanks - 1, number);
        number += 7;
        const std::string wrong = arena.run(c);
        if (!wrong.empty())
          return "round " + std::to_string(round) + ": " + wrong;
      }
    // Only registered buffers can be borrowed here, and over transports none.
    if (how == "windows:confined" && round < 2 &&
        (borrowedChunks != 0) != (round && !isRemote()))
      return round ? "nothing was borrowed" : "borrowed without windows";
  }
  return "good";
}

/// What registering refuses, and what it makes of ranks that are gone.
std::string runWindowErrors(const std::string &how) {
  void *memory = nullptr, *handles[runtime::kMaxWindows] = {}, *more = nullptr;
  if (blinkMemAlloc(&memory, 100) != blinkSuccess)
    return blinkGetLastError(nullptr);
  if (how == "window-death" && self == numRanks - 1)
    raise(SIGKILL);
  const bool late = how == "window-late" && self == numRanks - 1;
  if ((late || how == "window-abort") && !waitForFailure(comm))
    return "the job does not fail";
  if (late)
    return "good";
  for (void *&handle : handles)
    if (blinkResult_t result = blinkCommRegister(comm, memory, 100, &handle);
        result != blinkSuccess)
      return blinkGetLastError(comm);
  if (blinkCommRegister(comm, memory, 100, &more) != blinkInvalidUsage || more)
    return "one too many was registered";
  if (blinkMemFree(memory) != blinkInvalidUsage)
    return "registered memory was freed";
  for (void *handle : handles)
    if (blinkCommDeregister(comm, handle) != blinkSuccess)
      return blinkGetLastError(comm);
  if (blinkCommDeregister(comm, handles[3]) != blinkInvalidArgument)
    return "a handle ended twice";
  if (blinkMemFree(memory) != blinkSuccess ||
      blinkMemFree(memory) != blinkInvalidArgument)
    return "memory that nobody uses must be freed, once";
  return "good";
}

/// The others do not register before the job fails.
std::string abortWhileRegistering() {
  const std::shared_ptr<runtime::Backend> backend = comm->backend;
  bool begun = false;
  std::thread aborts([&] {
    const uint64_t &steps = backend->job().peer(self).steps;
    begun = waitUntil([&] { return runtime::loadAcquire(&steps) != 0; },
                      std::chrono::seconds(20));
    blinkCommAbort(comm);
  });
  char memory = 0;
  void *handle = nullptr;
  const blinkResult_t result = blinkCommRegister(comm, &memory, 1, &handle);
  aborts.join();
  comm = nullptr;
  if (!begun)
    return "registering did not wait for the others";
  if (result != blinkRemoteError || handle)
    return "registering was not aborted";
  return blinkGetLastError(nullptr);
}

} // namespace

bool waitForFailure(blinkComm_t rank) {
  blinkResult_t asked = blinkSuccess, result = blinkSuccess;
  waitUntil(
      [&] {
        asked = blinkCommGetAsyncError(rank, &result);
        return asked != blinkSuccess || result != blinkSuccess;
      },
      std::chrono::seconds(20));
  return asked == blinkSuccess && result != blinkSuccess;
}

std::string windowScenario(const std::string &name) {
  if (name == "window-abort" && self == numRanks - 1)
    return abortWhileRegistering();
  return name.find("windows") == 0 ? runWindows(name) : runWindowErrors(name);
}

} // namespace blink::test
