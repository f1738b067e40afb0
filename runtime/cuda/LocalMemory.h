//===- LocalMemory.h - memory of ranks in one process -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// CUDA maps memory of other processes only. Ranks that joined by id, each with
// a back end of its own, and turn out to be in one process find each other's
// memory here.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LOCALMEMORY_H
#define BLINK_RUNTIME_CUDA_LOCALMEMORY_H

#include <cstdint>
#include <memory>

namespace blink::runtime {

/// A number that no other process has, also where process numbers repeat, as in
/// containers; 0 if there is no chance to make one.
uint64_t processToken();

/// Lets findMemory() of this process find it, as long as somebody has it.
void offerMemory(const std::shared_ptr<char> &memory);

/// What was offered at `address`, which lives as long as what found it holds
/// it; or null.
std::shared_ptr<char> findMemory(uint64_t address);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LOCALMEMORY_H
