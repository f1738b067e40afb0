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

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

namespace blink::test {
namespace {

/// The number of chunks that folds have found in windows of other processes.
std::atomic<int> borrowedChunks{0};

void countBorrowed(int, uint32_t, uint32_t, uint64_t,
                   runtime::HostRings &rings) {
  for (const runtime::RingEnd &end : rings.readers)
    for (uint32_t slot = 0; end.heads && slot < 2;
         ++slot) // BuildOptions::slots
      borrowedChunks += (runtime::loadRelaxed(&end.heads[slot].address) &
                         runtime::WindowPlace::kBit) != 0;
}

/// Memory that may be registered, and cases that run in it.
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
  /// Registers a part. The first part holds inputs and in-place buffers, the
  /// second the outputs that belong to inputs in the first.
  bool enroll(Part part) {
    char *begin = memory_ + (part == second ? kHalf : kBegin);
    char *end = memory_ + (part == first ? kHalf : 2 * kHalf);
    return blinkCommRegister(comm, begin, size_t(end - begin), &handle_) ==
               blinkSuccess &&
           handle_;
  }
  bool withdraw() { return blinkCommDeregister(comm, handle_) == blinkSuccess; }
  char *memory() const { return memory_; }

  /// Runs the case in this memory. Returns "" or what is wrong.
  std::string run(const Case &c) {
    RankBuffers buffers(c, numRanks, self);
    const uint64_t block = c.count * size_t(bytesOf(c.type));
    const uint64_t in = block * sched::inputBlocks(c.collective, numRanks);
    const uint64_t out = block * sched::outputBlocks(c.collective, numRanks);
    char *send = static_cast<char *>(const_cast<void *>(buffers.send()));
    char *recv = static_cast<char *>(buffers.recv());
    char *ownSend = memory_ + kBegin + kMargin + (c.misaligned ? 8 : 0);
    char *ownRecv = ownSend + (recv - send);
    if (c.inPlace && recv < send) {
      ownSend += send - recv;
      ownRecv += send - recv;
    }
    if (!c.inPlace) {
      ownRecv = ownSend + (kHalf - kBegin);
      // As near to the output as it may lie, since all between them is
      // compared.
      const uint64_t room = uint64_t(memory_ + kHalf - kMargin - ownSend);
      ownSend += (room - in) / kMargin * kMargin;
    }
    char *begin = std::max(std::min(ownSend, ownRecv) - kBegin, memory_);
    const char *end = std::max(ownSend + in, ownRecv + out) + kMargin;
    std::memset(begin, kUnused, size_t(end - begin));
    std::memcpy(ownSend, send, in);
    if (!c.inPlace)
      std::memcpy(ownRecv, recv, out);
    const std::string before(begin, size_t(end - begin));
    if (call(c, ownSend, ownRecv, comm) != blinkSuccess)
      return blinkGetLastError(comm);
    std::memcpy(recv, ownRecv, out);
    const std::string wrong = buffers.check();
    if (wrong.empty() &&
        (std::memcmp(begin, before.data(), size_t(ownRecv - begin)) != 0 ||
         std::memcmp(ownRecv + out, &before[size_t(ownRecv + out - begin)],
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

/// Runs every collective with some sizes. Returns "" or what is wrong.
std::string runSome(Arena &arena, unsigned number) {
  for (Collective collective : collectives())
    for (size_t count : {size_t(1), size_t(1000), size_t(20011)}) {
      const Case c = variedCase(collective, count, numRanks - 1, number);
      number += 7;
      const std::string wrong = arena.run(c);
      if (!wrong.empty())
        return wrong;
    }
  return "";
}

/// Repeats runSome() until every rank has seen borrowed chunks, which is soon.
/// Over transports no chunks are borrowed.
std::string runUntilBorrowed(Arena &arena) {
  if (isRemote())
    return runSome(arena, 0);
  borrowedChunks = 0;
  for (int tries = 0; tries < 1000; ++tries) {
    const std::string wrong = runSome(arena, unsigned(tries));
    if (!wrong.empty())
      return wrong;
    if (allSay(borrowedChunks != 0))
      return "";
  }
  return "nothing is borrowed";
}

/// Whether this process may open no files any more.
bool isClosed = false;

/// Runs cases before, while and after buffers are registered. With "mixed" one
/// rank's memory is ordinary, with "parts" only some of it is registered. With
/// "confined" a process may not read the others' memory, with "closed" it may
/// not map it.
std::string runWindows(const std::string &how) {
  auto is = [&](const char *word) {
    return how.find(word) != std::string::npos;
  };
  if (is("closed") && self == numRanks - 1) {
    if (!forbid(__NR_openat))
      return "cannot confine the process";
    isClosed = true;
  }
  Arena arena(is("mixed") && self == 0 ? Arena::ordinary : Arena::blocks);
  runtime::stepHook = countBorrowed;
  for (int round = 0; round < 4; ++round) {
    if ((round >= 2 && !arena.withdraw()) ||
        ((round == 1 || round == 2) &&
         !arena.enroll(is("parts") ? Arena::Part((self + round) % 3)
                                   : Arena::all)))
      return blinkGetLastError(comm);
    // In a confined process only registered buffers can be borrowed.
    std::string wrong = round == 1 && how == "windows:confined"
                            ? runUntilBorrowed(arena)
                            : runSome(arena, unsigned(round));
    if (wrong.empty() && how == "windows:confined" && round == 0 &&
        borrowedChunks != 0)
      wrong = "borrowed without windows";
    if (!wrong.empty())
      return "round " + std::to_string(round) + ": " + wrong;
  }
  return "good";
}

/// Checks what registering refuses.
std::string runWindowErrors() {
  void *memory = nullptr, *handles[runtime::kMaxWindows] = {}, *more = nullptr;
  if (blinkMemAlloc(&memory, 100) != blinkSuccess)
    return blinkGetLastError(nullptr);
  for (void *&handle : handles)
    if (blinkResult_t result = blinkCommRegister(comm, memory, 100, &handle);
        result != blinkSuccess)
      return blinkGetLastError(comm);
  if (blinkCommRegister(comm, memory, 100, &more) != blinkInvalidUsage || more)
    return "one too many was registered";
  char ordinary = 0; // need not be a window
  if (blinkCommRegister(comm, &ordinary, 1, &more) != blinkSuccess ||
      blinkCommDeregister(comm, more) != blinkSuccess)
    return blinkGetLastError(comm);
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

/// Only rank 0 registers a buffer, and deregisters it while no other rank makes
/// a call.
std::string registerAlone() {
  runtime::stepHook = countBorrowed;
  auto arena = std::make_unique<Arena>(Arena::blocks);
  if (self == 0 && !arena->enroll(Arena::all))
    return blinkGetLastError(comm);
  if (const std::string wrong = runUntilBorrowed(*arena); !wrong.empty())
    return wrong;
  if (self == 0 && !arena->withdraw())
    return blinkGetLastError(comm);
  // Rank 0 may free its memory now: the others must not notice.
  if (self == 0)
    arena = std::make_unique<Arena>(Arena::blocks);
  allSay(true);
  borrowedChunks = 0;
  const std::string wrong = runSome(*arena, 3);
  return wrong.empty() ? "good" : wrong;
}

/// The last rank makes calls that the others have yet to make, and meanwhile
/// deregisters its buffer.
std::string withdrawAhead() {
  runtime::stepHook = countBorrowed;
  Arena arena(Arena::blocks);
  if (!arena.enroll(Arena::all))
    return blinkGetLastError(comm);
  if (const std::string wrong = runUntilBorrowed(arena); !wrong.empty())
    return wrong;
  const bool isAhead = self == numRanks - 1;
  Case c;
  c.root = numRanks - 1;
  c.collective = Collective::broadcast;
  c.count = 100; // uses slots, of which there are two
  const auto callTwice = [&] {
    std::string wrong = arena.run(c);
    return wrong.empty() ? arena.run(c) : wrong;
  };
  std::string wrong = isAhead ? callTwice() : "";
  if (isAhead && !arena.withdraw())
    return blinkGetLastError(comm);
  allSay(true); // it has deregistered
  if (!isAhead && wrong.empty())
    wrong = callTwice();
  if (wrong.empty())
    wrong = runSome(arena, 5);
  if (!isAhead && !arena.withdraw())
    return blinkGetLastError(comm);
  return wrong.empty() ? "good" : wrong;
}

/// The last rank dies while it and the others have each other's buffers open.
std::string dieWithWindows() {
  runtime::stepHook = countBorrowed;
  Arena arena(Arena::blocks);
  if (!arena.enroll(Arena::all))
    return blinkGetLastError(comm);
  if (const std::string wrong = runUntilBorrowed(arena); !wrong.empty())
    return wrong;
  if (self == numRanks - 1)
    raise(SIGKILL);
  Case c;
  c.count = 20011;
  std::string error;
  for (int tries = 0; tries < 3 && error.empty(); ++tries)
    error = arena.run(c);
  if (!arena.withdraw())
    return "not deregistered: " + std::string(blinkGetLastError(comm));
  return error;
}

/// The last rank has another rank's buffer open and is stopped.
std::string withdrawFromStopped() {
  Arena arena(Arena::blocks);
  const bool last = self == numRanks - 1;
  if (!last && !arena.enroll(Arena::all))
    return blinkGetLastError(comm);
  for (int tries = 0; tries < (kSlow ? 10 : 50); ++tries) {
    if (const std::string wrong = runSome(arena, 1); !wrong.empty())
      return wrong;
    allSay(true);
  }
  if (last) {
    raise(SIGSTOP);
    return allSay(true) ? "good" : "no exchange";
  }
  const pid_t other = pid_t(comm->backend->job().processOf(numRanks - 1));
  waitUntil([&] {
    char state = 0;
    std::FILE *file =
        std::fopen(("/proc/" + std::to_string(other) + "/stat").c_str(), "r");
    if (file && std::fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
      state = 0;
    if (file)
      std::fclose(file);
    return state == 'T';
  });
  const bool withdrawn = arena.withdraw();
  const std::string error = blinkGetLastError(comm);
  kill(other, SIGCONT);
  if (!withdrawn && !arena.withdraw())
    return blinkGetLastError(comm);
  allSay(true);
  return withdrawn ? "withdrawn" : error;
}

} // namespace

std::string windowScenario(const std::string &name) {
  if (name.find("windows") == 0)
    return runWindows(name);
  auto is = [&](const char *word) { return name.find(word) == 0; };
  if (is("window-alone"))
    return registerAlone();
  if (is("window-ahead"))
    return withdrawAhead();
  if (is("window-death"))
    return dieWithWindows();
  if (is("window-stopped"))
    return withdrawFromStopped();
  return runWindowErrors();
}

} // namespace blink::test

#if defined(__SANITIZE_ADDRESS__)
/// LeakSanitizer asks at the end, and would open files.
extern "C" int __lsan_is_turned_off() { return blink::test::isClosed; }
#endif
