//===- RegisteredScenarios.cpp - registered GPU memory --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/RegisteredScenarios.h"

#include "runtime/cuda/Launch.h"
#include "test/conformance/GpuMemory.h"
#include "test/conformance/WindowScenarios.h"
#include "test/conformance/WorkerState.h"
#if BLINK_TEST_EMULATED
#include "test/emulation/Emulation.h"
#include "test/emulation/Failures.h"
#include "test/emulation/Programs.h"
#include "test/emulation/VirtualMemory.h"
#endif

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <vector>

namespace blink::test {
namespace {

constexpr size_t kCount = 100000; // floats: more than 256 KiB
constexpr size_t kBytes = kCount * sizeof(float);

#if BLINK_TEST_EMULATED
/// What the last kernel was told: whether others reach this rank's output.
std::atomic<bool> told{false};
std::atomic<const runtime::DeviceProgram *> program{nullptr};

void noteHook(const runtime::Launch &launch, unsigned, unsigned, unsigned) {
  told = launch.ranks[0].recvPtr != 0;
  program = launch.ranks[0].program;
}
#endif

/// The sentence if the call, or what it put into the stream, has failed.
std::string finish(blinkResult_t result) {
  if (result == blinkSuccess && cudaStreamSynchronize(nullptr) != cudaSuccess)
    result = blinkUnhandledCudaError;
  if (result == blinkSuccess)
    blinkCommGetAsyncError(comm, &result);
  return result == blinkSuccess ? ""
                                : std::string(blinkGetErrorString(result)) +
                                      ": " + blinkGetLastError(comm);
}

void upload(float *data, const std::vector<float> &values) {
  cudaMemcpy(data, values.data(), kBytes, cudaMemcpyHostToDevice);
  cudaStreamSynchronize(nullptr);
}

std::vector<float> download(const float *data) {
  std::vector<float> values(kCount);
  cudaMemcpy(values.data(), data, kBytes, cudaMemcpyDeviceToHost);
  return values;
}

/// As the first call of a job: all data of a broadcast from rank 0 comes into
/// the registered buffer of its reader, and none into the slots.
std::string broadcast(float *data) {
  upload(data, std::vector<float>(kCount, self == 0 ? 5.0f : 0.0f));
  const std::string wrong = finish(
      blinkBroadcast(data, data, kCount, blinkFloat32, 0, comm, nullptr));
  if (!wrong.empty())
    return wrong;
  if (download(data) != std::vector<float>(kCount, 5.0f))
    return "wrong broadcast";
#if BLINK_TEST_EMULATED
  const runtime::DeviceChannel *channel =
      self == 1 ? channelOf(*program.load(), 0) : nullptr;
  if (channel && std::any_of(channel->slots, channel->slots + 1024,
                             [](char byte) { return byte != 0; }))
    return "data in the slots";
#endif
  return "";
}

/// Adds up all ranks' values in place; `reached`: others write to `data`. "" or
/// what is wrong.
std::string allReduce(float *data, int round, bool reached) {
  const std::string where = "round " + std::to_string(round) + ": ";
  std::vector<float> values(kCount);
  for (size_t i = 0; i < kCount; ++i)
    values[i] = float(i % 100 + size_t(self) + size_t(round));
  upload(data, values);
  const std::string wrong = finish(blinkAllReduce(
      data, data, kCount, blinkFloat32, blinkSum, comm, nullptr));
  if (!wrong.empty())
    return where + wrong;
  values = download(data);
  for (size_t i = 0; i < kCount; ++i)
    if (values[i] != float(numRanks * int(i % 100 + size_t(round)) +
                           numRanks * (numRanks - 1) / 2))
      return where + "wrong at " + std::to_string(i);
#if BLINK_TEST_EMULATED
  if (told != reached)
    return where + (reached ? "the buffer is not told" : "a buffer is told");
#endif
  return "";
}

std::string enroll(float *data, void *&handle) {
  return blinkCommRegister(comm, data, kBytes, &handle) == blinkSuccess
             ? ""
             : blinkGetLastError(comm);
}

/// The last rank's memory cannot be shared: no rank's is, and all say so.
std::string registerRefused(float *data) {
  void *handle = nullptr;
  const std::string error = enroll(data, handle);
  if (handle || error.find("the buffer of rank " +
                           std::to_string(numRanks - 1) + ": it is ") != 0)
    return "not the sentence of the last rank: " + error;
  return allReduce(data, 0, false);
}

/// Registering fails on one rank, so on all, and leaves nothing behind.
std::string registerInVain(float *data, const std::string &call, unsigned n) {
  void *before = nullptr, *handle = nullptr, *after = nullptr;
  std::string wrong = enroll(data + kCount, before); // not the first window
  if (!wrong.empty())
    return wrong;
#if BLINK_TEST_EMULATED
  constexpr int kOutOfMemory = 2;
  const size_t mapped = numVirtual();
  if (self == numRanks - 1)
    failCall(call, n, kOutOfMemory);
#endif
  const std::string error = enroll(data, handle);
#if BLINK_TEST_EMULATED
  if (failuresLeft() != 0)
    return call + " was not called so often";
  if (numVirtual() != mapped)
    return "something stays mapped";
#endif
  if (handle ||
      error.find("rank " + std::to_string(numRanks - 1)) == std::string::npos)
    return "not the failing rank's error: " + error;
  // Nobody writes there: the window does not exist on any rank.
  for (int round = 0; round < 2 && wrong.empty(); ++round)
    wrong = allReduce(data, round, false);
  if (wrong.empty())
    wrong = enroll(data, after);
  for (int round = 2; round < 4 && wrong.empty(); ++round)
    wrong = allReduce(data, round, true);
  for (void *own : {before, after})
    if (wrong.empty() && blinkCommDeregister(comm, own) != blinkSuccess)
      wrong = blinkGetLastError(comm);
  return wrong.empty() ? allReduce(data, 4, false) : wrong;
}

/// Large messages, into registered buffers on all ranks but the last.
std::string registerAndReduce(float *own, float *other, bool withBroadcast) {
  const bool registers = self != numRanks - 1;
  void *handle = nullptr, *second = nullptr;
  std::string wrong = enroll(own, handle);
  if (wrong.empty() && withBroadcast)
    wrong = broadcast(own);
  if (wrong.empty() &&
      blinkCommRegister(comm, other, 64, &second) != blinkSuccess)
    wrong = blinkGetLastError(comm);
  for (int round = 0; round < 6 && wrong.empty(); ++round) {
    if (round == 4 && blinkCommDeregister(comm, handle) != blinkSuccess)
      return blinkGetLastError(comm);
    wrong = allReduce(registers ? own : other, round, registers && round < 4);
  }
  if (!wrong.empty())
    return wrong;
  float onHost = 0;
  if (blinkCommRegister(comm, &onHost, sizeof(onHost), &handle) !=
          blinkInvalidArgument ||
      handle)
    return "registered host memory";
  return blinkCommDeregister(comm, second) == blinkSuccess
             ? ""
             : blinkGetLastError(comm);
}

std::string runScenario(const std::string &name) {
  auto is = [&](const char *word) {
    return name.find(word) != std::string::npos;
  };
  char call[64] = "", kind[16] = "plain";
  unsigned n = 0;
  if (is("kind="))
    std::sscanf(name.c_str() + name.find("kind="), "kind=%15[a-z]", kind);
  const bool last = self == numRanks - 1;
  if (is("-late") && last)
    return waitForFailure(comm) ? "" : "the job does not fail";
  GpuMemory own(is("refused") && !last ? "plain" : kind, 2 * kBytes);
  GpuMemory other(kind, 2 * kBytes);
  if (!own.begin() || !other.begin())
    return "no memory";
  if (is("refused"))
    return registerRefused(own.floats());
  if (!is("fails="))
    return registerAndReduce(own.floats(), other.floats(), is("broadcast"));
  if (std::sscanf(name.c_str() + name.find("fails="), "fails=%63[^@]@%u", call,
                  &n) != 2)
    return "no such scenario";
  return registerInVain(own.floats(), call, n);
}

} // namespace

std::string registeredScenario(const std::string &name) {
#if BLINK_TEST_EMULATED
  const LaneHookScope hook(noteHook);
#endif
  std::string wrong = runScenario(name);
#if BLINK_TEST_EMULATED
  if (wrong.empty())
    wrong = misuse();
#endif
  return wrong.empty() ? "good" : wrong;
}

} // namespace blink::test
