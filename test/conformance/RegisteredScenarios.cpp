//===- RegisteredScenarios.cpp - registered GPU memory --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/RegisteredScenarios.h"

#include "runtime/cuda/Launch.h"
#include "test/conformance/GpuMemory.h"
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
#include <cstring>
#include <iterator>
#include <vector>

namespace blink::test {
namespace {

constexpr size_t kCount = 100000; // floats: more than 256 KiB
constexpr size_t kBytes = kCount * sizeof(float);

#if BLINK_TEST_EMULATED
/// Whether the last kernel was told that others reach this rank's output.
std::atomic<bool> told{false};
std::atomic<const runtime::DeviceProgram *> program{nullptr};

void noteHook(const runtime::Launch &launch, unsigned, unsigned, unsigned) {
  told = launch.ranks[0].recvPtr != 0;
  program = launch.ranks[0].program;
}
#endif

/// Waits for the stream. Returns the error text if the call, or the work it
/// queued, has failed.
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

/// Broadcasts from rank 0. All data must arrive in the reader's registered
/// buffer, and none in the slots.
std::string broadcast(float *data) {
  constexpr float kValue = 12345; // not used by any call before
  upload(data, std::vector<float>(kCount, self == 0 ? kValue : 0.0f));
  const std::string wrong = finish(
      blinkBroadcast(data, data, kCount, blinkFloat32, 0, comm, nullptr));
  if (!wrong.empty())
    return wrong;
  if (download(data) != std::vector<float>(kCount, kValue))
    return "wrong broadcast";
#if BLINK_TEST_EMULATED
  const runtime::DeviceChannel *channel =
      self == 1 ? channelOf(*program.load(), 0) : nullptr;
  float slots[256] = {};
  if (channel)
    std::memcpy(slots, channel->slots, sizeof(slots));
  if (std::count(std::begin(slots), std::end(slots), kValue) != 0)
    return "data in the slots";
#endif
  return "";
}

std::vector<float> valuesOf(int round) {
  std::vector<float> values(kCount);
  for (size_t i = 0; i < kCount; ++i)
    values[i] = float(i % 100 + size_t(self) + size_t(round));
  return values;
}

/// Returns what is wrong with the sum of all ranks' values, or "".
std::string checkSum(const float *data, int round) {
  const std::vector<float> values = download(data);
  for (size_t i = 0; i < kCount; ++i)
    if (values[i] != float(numRanks * int(i % 100 + size_t(round)) +
                           numRanks * (numRanks - 1) / 2))
      return "round " + std::to_string(round) + ": wrong at " +
             std::to_string(i);
  return "";
}

/// Sums all ranks' values in place. Returns "" or what is wrong.
std::string allReduce(float *data, int round) {
  upload(data, valuesOf(round));
  const std::string wrong = finish(blinkAllReduce(
      data, data, kCount, blinkFloat32, blinkSum, comm, nullptr));
  return wrong.empty() ? checkSum(data, round) : wrong;
}

/// Repeats the sum until others reach this rank's buffer (`reached`) or no
/// longer do. Each rank has its own `reached`; the loop ends when it holds on
/// all ranks.
std::string reduceUntil(float *data, bool reached) {
  for (int tries = 0; tries < 1000; ++tries) {
    std::string wrong = allReduce(data, tries);
    if (!wrong.empty())
      return wrong;
#if BLINK_TEST_EMULATED
    if (allSay(told == reached))
      return "";
#else
    if (tries == 20)
      return "";
#endif
  }
  return reached ? "the buffer is not told" : "a buffer is told";
}

std::string enroll(float *data, void *&handle) {
  return blinkCommRegister(comm, data, kBytes, &handle) == blinkSuccess
             ? ""
             : blinkGetLastError(comm);
}

std::string withdraw(void *handle) {
  return blinkCommDeregister(comm, handle) == blinkSuccess
             ? ""
             : blinkGetLastError(comm);
}

/// The last rank's memory cannot be shared. That rank gets an error; the other
/// ranks' buffers are used.
std::string registerRefused(float *data) {
  const bool last = self == numRanks - 1;
  void *handle = nullptr;
  const std::string error = enroll(data, handle);
  if (last && (handle || error.find("the buffer of rank " +
                                    std::to_string(self) + ": it is ") != 0))
    return "not the sentence of the last rank: " + error;
  if (!last && !error.empty())
    return error;
  const std::string wrong = reduceUntil(data, !last);
  return wrong.empty() && !last ? withdraw(handle) : wrong;
}

/// A call fails on the last rank, for its own buffer or for another rank's. The
/// buffers concerned are not used, results are correct, and nothing remains
/// mapped.
std::string registerInVain(float *data, const std::string &call, unsigned n) {
  void *before = nullptr, *handle = nullptr, *after = nullptr;
  std::string wrong = enroll(data + kCount, before);
  if (wrong.empty())
    wrong = reduceUntil(data + kCount, true);
  if (!wrong.empty())
    return wrong;
#if BLINK_TEST_EMULATED
  constexpr int kOutOfMemory = 2;
  const size_t mapped = numVirtual();
  allSay(true); // now no registration is under way
  if (self == numRanks - 1)
    failCall(call, n, kOutOfMemory);
  allSay(true);
#endif
  const std::string error = enroll(data, handle);
  if (error.empty() == (handle == nullptr))
    return "an error and a handle, or none";
  if (!error.empty() &&
      (self != numRanks - 1 ||
       error.find("the buffer of rank " + std::to_string(self)) != 0))
    return "not the failing rank's error: " + error;
#if BLINK_TEST_EMULATED
  for (int tries = 0;; ++tries) {
    wrong = allReduce(data, tries);
    if (!wrong.empty())
      return wrong;
    if (allSay(failuresLeft() == 0))
      break;
    if (tries == 1000)
      return call + " was not called so often";
  }
#endif
  if (handle)
    wrong = withdraw(handle);
  if (wrong.empty())
    wrong = enroll(data, after);
  if (wrong.empty())
    wrong = reduceUntil(data, true);
  for (void *own : {after, before})
    if (wrong.empty())
      wrong = withdraw(own);
  if (!wrong.empty())
    return wrong;
  allSay(true);
#if BLINK_TEST_EMULATED
  if (numVirtual() > mapped)
    return "something stays mapped";
#endif
  return allReduce(data, 4);
}

/// Large messages, into registered buffers on all ranks but the last.
std::string registerAndReduce(float *own, float *other, bool withBroadcast) {
  const bool registers = self != numRanks - 1;
  void *handle = nullptr, *second = nullptr;
  std::string wrong = enroll(own, handle);
  if (wrong.empty())
    wrong = reduceUntil(own, true);
  if (wrong.empty() && withBroadcast)
    wrong = broadcast(own);
  if (wrong.empty() &&
      blinkCommRegister(comm, other, 64, &second) != blinkSuccess)
    wrong = blinkGetLastError(comm);
  if (wrong.empty())
    wrong = reduceUntil(registers ? own : other, registers);
  if (wrong.empty())
    wrong = withdraw(handle);
  if (wrong.empty())
    wrong = reduceUntil(own, false);
  if (!wrong.empty())
    return wrong;
  float onHost = 0;
  if (blinkCommRegister(comm, &onHost, sizeof(onHost), &handle) !=
          blinkInvalidArgument ||
      handle)
    return "registered host memory";
  return withdraw(second);
}

/// Only rank 0 registers a buffer, and deregisters it while the others make no
/// call.
std::string registerAlone(float *data) {
  void *handle = nullptr;
  std::string wrong = self == 0 ? enroll(data, handle) : "";
  if (wrong.empty())
    wrong = reduceUntil(data, self == 0);
  if (wrong.empty() && self == 0)
    wrong = withdraw(handle);
  allSay(true);
  return wrong.empty() ? reduceUntil(data, false) : wrong;
}

/// Launches a graph with calls in a registered buffer: while the buffer is
/// registered, after it no longer is, and while another one is.
std::string registerAndCapture(float *data, float *other) {
  void *handle = nullptr, *second = nullptr;
  std::string wrong = enroll(data, handle);
  if (wrong.empty())
    wrong = reduceUntil(data, true);
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  if (!wrong.empty() || cudaStreamCreate(&stream) != cudaSuccess ||
      cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) !=
          cudaSuccess ||
      blinkAllReduce(data, data, kCount, blinkFloat32, blinkSum, comm,
                     reinterpret_cast<blinkStream_t>(stream)) != blinkSuccess ||
      cudaStreamEndCapture(stream, &graph) != cudaSuccess ||
      cudaGraphInstantiateWithFlags(&exec, graph, 0) != cudaSuccess)
    return wrong.empty() ? "cannot capture" : wrong;
  for (int round = 0; round < 9 && wrong.empty(); ++round) {
    // The ranks do so at different times.
    if (round == 3 + self % 2)
      wrong = withdraw(handle);
    if (round == 5 + self % 2 && wrong.empty())
      wrong = enroll(other, second);
    if (!wrong.empty())
      return wrong;
    upload(data, valuesOf(round));
    if (cudaGraphLaunch(exec, stream) != cudaSuccess ||
        cudaStreamSynchronize(stream) != cudaSuccess)
      return "cannot launch the graph";
    wrong = checkSum(data, round);
    if (wrong.empty() && round >= 5) // another buffer, which is registered
      wrong = allReduce(other, round);
  }
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  return wrong.empty() ? withdraw(second) : wrong;
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
  GpuMemory own(is("refused") && !last ? "plain" : kind, 2 * kBytes);
  GpuMemory other(kind, 2 * kBytes);
  if (!own.begin() || !other.begin())
    return "no memory";
  if (is("refused"))
    return registerRefused(own.floats());
  if (is("alone"))
    return registerAlone(own.floats());
  if (is("graph"))
    return registerAndCapture(own.floats(), other.floats());
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
