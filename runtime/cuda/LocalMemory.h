//===- LocalMemory.h - memory of ranks in one process -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// CUDA maps memory of other processes only. Ranks that joined by id have a back
// end each; if they turn out to be in one process, they find each other's
// memory here.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LOCALMEMORY_H
#define BLINK_RUNTIME_CUDA_LOCALMEMORY_H

#include <cstdint>
#include <memory>

namespace blink::runtime {

/// Returns a number that no other process has, even if process numbers repeat,
/// as in containers. Returns 0 if none can be made.
uint64_t processToken();

/// Lets findMemory() of this process find `memory` while it has an owner.
void offerMemory(const std::shared_ptr<char> &memory);

/// Returns what was offered at `address`, or null. The caller then owns it,
/// too.
std::shared_ptr<char> findMemory(uint64_t address);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LOCALMEMORY_H
