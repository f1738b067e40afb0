//===- Errors.h - results as PyTorch's exceptions ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Errors between ranks become torch.distributed.DistBackendError with Blink's
// sentence, as users of other back ends expect.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_TORCH_ERRORS_H
#define BLINK_RUNTIME_BINDINGS_TORCH_ERRORS_H

#include "runtime/blink.h"

#include <exception>
#include <string>

namespace blink::pytorch {

[[noreturn]] void raise(const std::string &sentence);
/// Returns the exception that raise() throws.
std::exception_ptr makeError(const std::string &sentence);

/// For the result of a function of blink.h, right after it has returned in this
/// thread. Throws an error with its sentence. An argument that is wrong by
/// itself, which is found without involving other ranks, becomes a ValueError.
void check(blinkResult_t result);

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_ERRORS_H
