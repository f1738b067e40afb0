//===- Errors.h - results as PyTorch's exceptions ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Whatever the ranks do to each other is a torch.distributed.DistBackendError
// with Blink's sentence, as users of other back ends catch it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_TORCH_ERRORS_H
#define BLINK_RUNTIME_BINDINGS_TORCH_ERRORS_H

#include "runtime/blink.h"

#include <exception>
#include <string>

namespace blink::pytorch {

[[noreturn]] void raise(const std::string &sentence);
/// What raise() throws.
std::exception_ptr makeError(const std::string &sentence);

/// Of a function of blink.h, right after it returned in this thread. Throws
/// with its sentence; what is found without asking other ranks to do with, an
/// argument that is wrong by itself, is a ValueError.
void check(blinkResult_t result);

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_ERRORS_H
