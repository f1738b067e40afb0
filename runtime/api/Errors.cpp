//===- Errors.cpp - the last error of threads and ranks -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Comm.h"

using namespace blink::runtime;

namespace blink::runtime {

thread_local std::string threadError;

blinkResult_t report(const Status &status, LastError *comm) {
  if (!status.ok()) {
    threadError = status.text;
    if (comm)
      comm->set(status.text);
  }
  return status.code;
}

blinkResult_t refuse(const char *text) {
  return report({blinkInvalidArgument, text});
}

} // namespace blink::runtime

const char *blinkGetErrorString(blinkResult_t result) {
  switch (result) {
  case blinkSuccess:
    return "no error";
  case blinkUnhandledCudaError:
    return "unhandled CUDA error";
  case blinkSystemError:
    return "system error";
  case blinkInternalError:
    return "internal error";
  case blinkInvalidArgument:
    return "invalid argument";
  case blinkInvalidUsage:
    return "invalid usage";
  case blinkRemoteError:
    return "remote error";
  case blinkInProgress:
    return "in progress";
  }
  return "unknown result code";
}

const char *blinkGetLastError(blinkComm_t comm) {
  // A copy: later failures assign to the original.
  thread_local std::string text;
  try {
    text = comm ? comm->state->lastError.get() : threadError;
  } catch (const std::exception &) {
    text.clear();
  }
  return text.c_str();
}
