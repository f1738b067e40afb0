//===- Calls.cpp - what every emulated CUDA call does first ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The current device, contexts, faults that tests ask for, and the rules for
// calls while streams are captured.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/Calls.h"

#include "test/emulation/Emulation.h"
#include "test/emulation/Failures.h"
#include "test/emulation/Streams.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <pthread.h>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace blink::test {

namespace {

/// Returns a machine with BLINK_EMULATED_DEVICES devices, or 8. Anything but a
/// number from 1 to 64 stands for a machine without devices, on which all calls
/// fail.
EmulatedMachine machineOfEnvironment() {
  EmulatedMachine machine;
  if (const char *text = std::getenv("BLINK_EMULATED_DEVICES")) {
    char *end = nullptr;
    const long number = std::strtol(text, &end, 10);
    machine.devices = end != text && *end == '\0' && number > 0 && number <= 64
                          ? int(number)
                          : 0;
  }
  return machine;
}

} // namespace

EmulatedMachine emulatedMachine = machineOfEnvironment();

namespace {

thread_local int deviceSet = 0;
thread_local bool usesDevice = false; ///< the thread has a context
/// The devices that the driver's calls have made current; they take precedence.
thread_local std::vector<int> devicesPushed;
thread_local cudaStreamCaptureMode captureMode = cudaStreamCaptureModeGlobal;

std::mutex callsMutex;
std::map<std::string, uint64_t> made; ///< number of calls, by name
std::set<int> contexts;
std::set<int> broken;
std::vector<std::weak_ptr<Capture>> captures;

/// Set in a process forked by one that used CUDA, since the child lacks the
/// parent's threads.
bool isForked = false;
const int forkHandler = pthread_atfork(
    nullptr, nullptr, [] { isForked = isForked || !contexts.empty(); });
thread_local bool inHostFunction = false;

/// Returns true if a capture forbids this thread unsafe calls, and invalidates
/// that capture.
bool spoilsCapture() {
  bool spoils = false;
  for (auto one = captures.begin(); one != captures.end();) {
    const std::shared_ptr<Capture> capture = one->lock();
    if (!capture || capture->ended) {
      one = captures.erase(one);
      continue;
    }
    const bool own = capture->thread == std::this_thread::get_id();
    if (captureMode != cudaStreamCaptureModeRelaxed &&
        capture->mode != cudaStreamCaptureModeRelaxed &&
        (own || (captureMode == cudaStreamCaptureModeGlobal &&
                 capture->mode == cudaStreamCaptureModeGlobal)))
      spoils = capture->invalidated = true;
    ++one;
  }
  return spoils;
}

} // namespace

cudaError_t enter(const char *call, unsigned needs) {
  if (isForked) // CUDA's error for this
    return failed(cudaErrorInitializationError);
  if (emulatedMachine.devices == 0)
    return failed(cudaErrorNoDevice);
  if (inHostFunction)
    return failed(cudaErrorNotPermitted);
  std::lock_guard<std::mutex> lock(callsMutex);
  ++made[call];
  const int device = currentDevice();
  if (needs & kContext) {
    contexts.insert(device);
    usesDevice = true;
    if (broken.count(device))
      return failed(cudaErrorLaunchFailure);
  }
  if (const int error = failureOf(call, device))
    return failed(cudaError_t(error));
  return (needs & kNoCapture) && spoilsCapture()
             ? failed(cudaErrorStreamCaptureUnsupported)
             : cudaSuccess;
}

int currentDevice() {
  return devicesPushed.empty() ? deviceSet : devicesPushed.back();
}

bool isDevice(int device) {
  return device >= 0 && device < emulatedMachine.devices;
}

void makeContext(int device) {
  std::lock_guard<std::mutex> lock(callsMutex);
  contexts.insert(device);
}

void forgetContext(int device) {
  std::lock_guard<std::mutex> lock(callsMutex);
  contexts.erase(device);
}

HostFunctionScope::HostFunctionScope() { inHostFunction = true; }
HostFunctionScope::~HostFunctionScope() { inHostFunction = false; }

void announce(const std::shared_ptr<Capture> &capture) {
  std::lock_guard<std::mutex> lock(callsMutex);
  captures.push_back(capture);
}

} // namespace blink::test

using namespace blink::test;

/// A context is represented by its device's number plus 1.
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  makeContext(device);
  *context = reinterpret_cast<CUcontext>(uintptr_t(device) + 1);
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext context) {
  devicesPushed.push_back(int(reinterpret_cast<uintptr_t>(context) - 1));
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext *context) {
  *context = reinterpret_cast<CUcontext>(uintptr_t(devicesPushed.back()) + 1);
  devicesPushed.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = usesDevice || !devicesPushed.empty()
                 ? reinterpret_cast<CUcontext>(uintptr_t(currentDevice()) + 1)
                 : nullptr;
  return CUDA_SUCCESS;
}

namespace blink::test {

//===-- For tests ---------------------------------------------------------===//

void breakDevice(int device) {
  std::lock_guard<std::mutex> lock(callsMutex);
  broken.insert(device);
}

void mendDevice(int device) {
  std::lock_guard<std::mutex> lock(callsMutex);
  broken.erase(device);
}

uint64_t numCalls(const char *call) {
  std::lock_guard<std::mutex> lock(callsMutex);
  return made[call];
}

bool hasContext(int device) {
  std::lock_guard<std::mutex> lock(callsMutex);
  return contexts.count(device) != 0;
}

void forgetContexts() {
  std::lock_guard<std::mutex> lock(callsMutex);
  contexts.clear();
}

} // namespace blink::test

cudaError_t cudaGetDeviceCount(int *count) {
  const cudaError_t error = enter(__func__, kNothing);
  *count = error == cudaSuccess ? emulatedMachine.devices : 0;
  return error;
}

cudaError_t cudaGetDevice(int *device) {
  *device = currentDevice();
  return enter(__func__, kNothing);
}

cudaError_t cudaSetDevice(int device) {
  if (!isDevice(device)) {
    const cudaError_t error = enter(__func__, kNothing);
    return error == cudaSuccess ? failed(cudaErrorInvalidDevice) : error;
  }
  (devicesPushed.empty() ? deviceSet : devicesPushed.back()) = device;
  return enter(__func__, kContext); // makes a context since CUDA 12
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  std::swap(*mode, captureMode);
  return enter(__func__, kNothing);
}
