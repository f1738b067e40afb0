//===- Errors.h - results and sentences of NCCL's interface -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_NCCL_ERRORS_H
#define BLINK_RUNTIME_BINDINGS_NCCL_ERRORS_H

#include "runtime/bindings/nccl/Abi.h"

#include <exception>
#include <string>

namespace blink::nccl {

/// Converts a result; the two enumerations have the same numbers.
inline ncclResult_t resultOf(blinkResult_t result) {
  return ncclResult_t(int(result));
}

/// Records a sentence for ncclGetLastError in this thread.
ncclResult_t fail(ncclResult_t result, std::string text);

/// Records the sentence that Blink has for the thread's last error.
ncclResult_t report(blinkResult_t result);

/// Calls `function` and turns exceptions into results, because no exception may
/// leave the library.
template <typename Function> ncclResult_t guarded(Function function) {
  try {
    return function();
  } catch (const std::bad_alloc &) {
    return ncclSystemError;
  } catch (const std::exception &error) {
    return fail(ncclInternalError, error.what());
  }
}

} // namespace blink::nccl

#endif // BLINK_RUNTIME_BINDINGS_NCCL_ERRORS_H
