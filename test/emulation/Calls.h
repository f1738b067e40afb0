//===- Calls.h - what every call of emulated CUDA does at first -*- C++ -*-===//
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

/// What a call needs. One that needs a context makes that of the current
/// device; one that is unsafe, as CUDA calls it, is not allowed during captures
/// (cudaThreadExchangeStreamCaptureMode).
enum Needs : unsigned { kNothing = 0, kContext = 1, kNoCapture = 2 };

/// Each call begins with it, and fails if it does: a fault that a test has
/// asked for, a device that is lost, a capture that the call spoils.
cudaError_t enter(const char *call, unsigned needs);

/// Makes an error the thread's last one, and is it.
cudaError_t failed(cudaError_t error);

int currentDevice();
bool isDevice(int device);
/// A device gets its context.
void makeContext(int device);
/// And loses it.
void forgetContext(int device);

/// While it lives, calls of this thread are refused: it is a stream's, which
/// works for a function of the host's.
class HostFunctionScope {
public:
  HostFunctionScope();
  ~HostFunctionScope();
  HostFunctionScope(const HostFunctionScope &) = delete;
};

/// A capture is under way until its owner lets go of it.
void announce(const std::shared_ptr<Capture> &capture);

} // namespace blink::test

#endif // BLINK_TEST_EMULATION_CALLS_H
