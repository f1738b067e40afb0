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

/// A lane has kFoldThreads threads that fold, and a warp beside them that
/// announces what has been folded. The block has 512 threads: with one more
/// warp a thread could have 96 registers instead of 128, and folds would spill.
/// A thread has eight packs of 16 bytes in flight when it copies, which is 60
/// KiB per lane, and four to six when it folds.
inline constexpr unsigned kFoldThreads = 480;
inline constexpr unsigned kPostThreads = 32;
inline constexpr unsigned kBlockThreads = kFoldThreads + kPostThreads;

/// The packs of 16 bytes for which a folding thread may have room in the
/// block's stage (StagedFold.h). Beside a lane's state there is room for the
/// first number in the 227 KiB of shared memory of sm_90 and sm_100, for the
/// second in the 163 KiB of sm_80, and for the third in the 99 KiB of sm_86,
/// sm_89 and sm_120.
inline constexpr unsigned kStagePacks[] = {18, 12, 6};
constexpr unsigned stageBytes(unsigned packs) {
  return packs * kFoldThreads * 16;
}

/// Returns the kernel of a type, or null if there is none. Kernels.cu is
/// compiled once for each operator.
template <typename Operator> const void *kernelOf(blinkDataType_t type);
template <> const void *kernelOf<Sum>(blinkDataType_t type);
template <> const void *kernelOf<Prod>(blinkDataType_t type);
template <> const void *kernelOf<Max>(blinkDataType_t type);
template <> const void *kernelOf<Min>(blinkDataType_t type);
template <> const void *kernelOf<Band>(blinkDataType_t type);
template <> const void *kernelOf<Bor>(blinkDataType_t type);
template <> const void *kernelOf<Bxor>(blinkDataType_t type);

/// Returns the kernel of a narrow type for calls whose partial sums are floats,
/// or null if there is none. Also in Kernels.cu.
template <typename Operator> const void *wideKernelOf(blinkDataType_t type);
template <> const void *wideKernelOf<Sum>(blinkDataType_t type);
template <> const void *wideKernelOf<Prod>(blinkDataType_t type);
/// Returns the kernel of sums for which switches work, or null if there is
/// none. SwitchKernels.cu.
const void *switchKernelOf(blinkDataType_t type);

/// The kernel of messages, in Messages.cu.
const void *messageKernel();
/// The kernel that reads the device's clock, in Clock.cu.
const void *clockKernel();

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_KERNELTABLE_H
