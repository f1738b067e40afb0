//===- LeftMemory.h - memory that others have mapped still ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What becomes of memory that is undefined if freed while another process has
// it mapped, when its owner is destroyed before that.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LEFTMEMORY_H
#define BLINK_RUNTIME_CUDA_LEFTMEMORY_H

#include <functional>

namespace blink::runtime {

/// Keeps `mapped`, and the memory that it holds, until it says no. It is asked
/// for a while at first, and then whenever this function or freeLeftMemory() is
/// called.
void keepWhile(std::function<bool()> mapped);

/// Frees what nobody has mapped any more.
void freeLeftMemory();

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LEFTMEMORY_H
