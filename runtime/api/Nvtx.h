//===- Nvtx.h - ranges for NVIDIA's profilers -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Uses headers only; without them the class does nothing. Without a profiler a
// range costs a load and a branch.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_API_NVTX_H
#define BLINK_RUNTIME_API_NVTX_H

#if BLINK_HAVE_CUDA && __has_include(<nvtx3/nvToolsExt.h>)
#define BLINK_HAVE_NVTX 1
#include <nvtx3/nvToolsExt.h>
#endif

namespace blink::runtime {

/// A range on the calling thread, named after the function that is called in
/// it.
class NvtxRange {
public:
  explicit NvtxRange(const char *name) {
#if BLINK_HAVE_NVTX
    // NVTX's first call sets function pointers, which every call reads without
    // synchronisation. That call must therefore have returned before any thread
    // goes on.
    static const bool initialized = (nvtxInitialize(nullptr), true);
    (void)initialized;
    nvtxRangePushA(name);
#else
    (void)name;
#endif
  }
  ~NvtxRange() {
#if BLINK_HAVE_NVTX
    nvtxRangePop();
#endif
  }
  NvtxRange(const NvtxRange &) = delete;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_API_NVTX_H
