//===- Calls.h - what every emulated CUDA call does first -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_EMULATION_CALLS_H
#define BLINK_TEST_EMULATION_CALLS_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <memory>

namespace blink::test {

struct Capture;

/// Properties of a call. kContext: it makes the context of the current device.
/// kNoCapture: it is unsafe in CUDA's sense, that is, not allowed during
/// captures (cudaThreadExchangeStreamCaptureMode).
enum Needs : unsigned { kNothing = 0, kContext = 1, kNoCapture = 2 };

/// Every call starts with this check. Errors: a fault that a test has asked
/// for, a device that is lost, a capture that the call invalidates.
cudaError_t enter(const char *call, unsigned needs);

/// Makes an error the thread's last error, and returns it.
cudaError_t failed(cudaError_t error);

int currentDevice();
bool isDevice(int device);
/// Gives a device its context.
void makeContext(int device);
/// Takes a device's context away.
void forgetContext(int device);

/// Makes calls of this thread fail during the object's lifetime: the thread is
/// a stream's and runs a host function.
class HostFunctionScope {
public:
  HostFunctionScope();
  ~HostFunctionScope();
  HostFunctionScope(const HostFunctionScope &) = delete;
};

/// Registers a capture, which is under way until its owner releases it.
void announce(const std::shared_ptr<Capture> &capture);

} // namespace blink::test

#endif // BLINK_TEST_EMULATION_CALLS_H
