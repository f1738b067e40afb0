//===- Errors.cpp - results as PyTorch's exceptions -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/Errors.h"

#include <c10/util/Exception.h>

#include <regex>

namespace blink::pytorch {

void raise(const std::string &sentence) {
  C10_THROW_ERROR(DistBackendError, "Blink: " + sentence);
}

std::exception_ptr makeError(const std::string &sentence) {
  try {
    raise(sentence);
  } catch (...) {
    return std::current_exception();
  }
}

void check(blinkResult_t result) {
  if (result == blinkSuccess)
    return;
  const std::string sentence = blinkGetLastError(nullptr);
  if (result == blinkInvalidArgument)
    C10_THROW_ERROR(ValueError, "Blink: " + sentence);
  // Uses the words that users of torch.distributed look for.
  if (std::regex_search(sentence, std::regex(" waited [0-9]+ ms")))
    raise("Timed out - " + sentence);
  raise(sentence.empty() ? blinkGetErrorString(result) : sentence);
}

} // namespace blink::pytorch
