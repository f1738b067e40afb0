//===- KernelTable.h - kernels by type and operator -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_KERNELTABLE_H
#define BLINK_RUNTIME_CUDA_KERNELTABLE_H

#include "runtime/blink.h"
#include "runtime/core/Operators.h"

namespace blink::runtime {

/// Threads of a lane. 512 threads with four packs of 16 bytes each in flight
/// are 32 KiB a lane, more than a multiprocessor's share of bandwidth times
/// latency on any GPU so far.
inline constexpr unsigned kBlockThreads = 512;

/// The kernel of a type; null if there is none. Kernels.cu, once an operator.
template <typename Operator> const void *kernelOf(blinkDataType_t type);
template <> const void *kernelOf<Sum>(blinkDataType_t type);
template <> const void *kernelOf<Prod>(blinkDataType_t type);
template <> const void *kernelOf<Max>(blinkDataType_t type);
template <> const void *kernelOf<Min>(blinkDataType_t type);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_KERNELTABLE_H
