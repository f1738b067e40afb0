//===- Errors.cpp - results, sentences and versions -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/nccl/Errors.h"

#include "runtime/bindings/nccl/Comm.h"
#include "runtime/bindings/nccl/EntryPoints.h"

#include <cstdio>
#include <cstdlib>

namespace blink::nccl {
namespace {

thread_local std::string lastText;

/// The version that is reported unless BLINK_NCCL_VERSION asks for another;
/// programs that need a later or earlier one set that.
constexpr int kVersion = 22707;

/// Returns "2.30.7" or "23007" as the number that NCCL reports; 0 if the text
/// is neither.
int parseVersion(const char *text) {
  int major = 0, minor = 0, patch = 0, length = 0;
  if (std::sscanf(text, "%d.%d.%d%n", &major, &minor, &patch, &length) == 3 &&
      text[length] == '\0' && major >= 0 && minor >= 0 && patch >= 0)
    return major <= 2 && minor <= 8 ? major * 1000 + minor * 100 + patch
                                    : major * 10000 + minor * 100 + patch;
  if (std::sscanf(text, "%d%n", &major, &length) == 1 && text[length] == '\0' &&
      major > 0)
    return major;
  return 0;
}

} // namespace

ncclResult_t fail(ncclResult_t result, std::string text) {
  lastText = std::move(text);
  return result;
}

ncclResult_t report(blinkResult_t result) {
  if (result != blinkSuccess && result != blinkInProgress)
    lastText = blinkGetLastError(nullptr);
  return resultOf(result);
}

} // namespace blink::nccl

using namespace blink::nccl;

NCCL_ENTRY ncclResult_t ncclGetVersion(int *version) {
  if (!version)
    return fail(ncclInvalidArgument, "version is NULL");
  const char *asked = std::getenv("BLINK_NCCL_VERSION");
  *version = asked ? parseVersion(asked) : kVersion;
  if (*version == 0)
    return fail(ncclInvalidArgument, std::string("BLINK_NCCL_VERSION is '") +
                                         asked +
                                         "', expected one such as 2.27.7");
  return ncclSuccess;
}
NCCL_TWIN(ncclGetVersion)

NCCL_ENTRY const char *ncclGetErrorString(ncclResult_t result) {
  if (result == ncclTimeout)
    return "timeout";
  return blinkGetErrorString(blinkResult_t(int(result)));
}
NCCL_TWIN(ncclGetErrorString)

NCCL_ENTRY const char *ncclGetLastError(ncclComm_t comm) {
  if (comm && comm->inner())
    return comm->fallback().call<const char *>("ncclGetLastError",
                                               comm->inner());
  if (comm && comm->blink)
    if (const char *text = blinkGetLastError(comm->blink); *text)
      return text;
  return lastText.c_str();
}
NCCL_TWIN(ncclGetLastError)

NCCL_ENTRY void ncclResetDebugInit() {}
NCCL_TWIN(ncclResetDebugInit)
