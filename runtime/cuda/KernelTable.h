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

/// Threads of a lane that fold, and a warp beside them that tells the other
/// ends what has been folded. 512 in all: with one more warp a thread could
/// have 96 registers instead of 128, and folds would spill them. A folding
/// thread has eight packs of 16 bytes in flight when it copies, which is 60 KiB
/// a lane, and four to six when it folds.
inline constexpr unsigned kFoldThreads = 480;
inline constexpr unsigned kPostThreads = 32;
inline constexpr unsigned kBlockThreads = kFoldThreads + kPostThreads;

/// The kernel of a type; null if there is none. Kernels.cu, once an operator.
template <typename Operator> const void *kernelOf(blinkDataType_t type);
template <> const void *kernelOf<Sum>(blinkDataType_t type);
template <> const void *kernelOf<Prod>(blinkDataType_t type);
template <> const void *kernelOf<Max>(blinkDataType_t type);
template <> const void *kernelOf<Min>(blinkDataType_t type);
template <> const void *kernelOf<Band>(blinkDataType_t type);
template <> const void *kernelOf<Bor>(blinkDataType_t type);
template <> const void *kernelOf<Bxor>(blinkDataType_t type);

/// That of a narrow type for calls whose partial sums are floats; null if there
/// is none. Likewise.
template <typename Operator> const void *wideKernelOf(blinkDataType_t type);
template <> const void *wideKernelOf<Sum>(blinkDataType_t type);
template <> const void *wideKernelOf<Prod>(blinkDataType_t type);
/// SwitchKernels.cu: of sums for which switches work; null if there is none.
const void *switchKernelOf(blinkDataType_t type);

/// Messages.cu.
const void *messageKernel();
/// Clock.cu.
const void *clockKernel();

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_KERNELTABLE_H
