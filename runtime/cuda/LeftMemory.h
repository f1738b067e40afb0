//===- LeftMemory.h - memory that others still have mapped ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Keeps memory alive whose owner is destroyed while another process still has
// it mapped: freeing it earlier would be undefined.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LEFTMEMORY_H
#define BLINK_RUNTIME_CUDA_LEFTMEMORY_H

#include <functional>

namespace blink::runtime {

/// Keeps `mapped`, and the memory that it holds, until it returns false. Waits
/// for that up to 100 ms; afterwards `mapped` is called whenever this function
/// or freeLeftMemory() is.
void keepWhile(std::function<bool()> mapped);

/// Frees memory that no process has mapped any more.
void freeLeftMemory();

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LEFTMEMORY_H
