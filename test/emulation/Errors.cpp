//===- Errors.cpp - names and texts of emulated CUDA errors ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// CUDA's names and texts of the errors that the emulation has, and the last
// error of each thread.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/Calls.h"

#include <utility>

namespace blink::test {
namespace {

struct ErrorWords {
  int number;
  const char *name, *words;
};
constexpr ErrorWords kErrors[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {3, "cudaErrorInitializationError", "initialization error"},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {21, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {201, "cudaErrorDeviceUninitialized", "invalid device context"},
    {217, "cudaErrorPeerAccessUnsupported",
     "peer access is not supported between these two devices"},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {600, "cudaErrorNotReady", "device not ready"},
    {704, "cudaErrorPeerAccessAlreadyEnabled",
     "peer access is already enabled"},
    {705, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {711, "cudaErrorTooManyPeers", "peer mapping resources exhausted"},
    {712, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {713, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {800, "cudaErrorNotPermitted", "operation not permitted"},
    {801, "cudaErrorNotSupported", "operation not supported"},
    {900, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {901, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {904, "cudaErrorStreamCaptureUnjoined",
     "capturing stream has unjoined work"},
    {905, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {906, "cudaErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking "
     "stream"},
    {907, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {908, "cudaErrorStreamCaptureWrongThread",
     "attempt to terminate a thread-local capture sequence from another "
     "thread"},
};
constexpr ErrorWords kUnknown = {-1, "unrecognized error code",
                                 "unrecognized error code"};

const ErrorWords &wordsOf(cudaError_t error) {
  for (const ErrorWords &words : kErrors)
    if (words.number == int(error))
      return words;
  return kUnknown;
}

thread_local cudaError_t lastError = cudaSuccess;

} // namespace

cudaError_t failed(cudaError_t error) {
  if (error != cudaSuccess)
    lastError = error;
  return error;
}

} // namespace blink::test

cudaError_t cudaGetLastError() {
  return std::exchange(blink::test::lastError, cudaSuccess);
}
cudaError_t cudaPeekAtLastError() { return blink::test::lastError; }

const char *cudaGetErrorName(cudaError_t error) {
  return blink::test::wordsOf(error).name;
}
const char *cudaGetErrorString(cudaError_t error) {
  return blink::test::wordsOf(error).words;
}
