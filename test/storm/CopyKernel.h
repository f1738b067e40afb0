//===- CopyKernel.h - copies that use no copy queue -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The driver puts copies of all streams into a few copy queues. There a copy
// before one rank's call can wait behind a copy after the call of another rank,
// which waits for the first rank: forever. A kernel is in the queue of its own
// stream.
//
// The interface between the storm and device code; test/emulation has another
// implementation.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_STORM_COPYKERNEL_H
#define BLINK_TEST_STORM_COPYKERNEL_H

#include <cstddef>
#include <cuda_runtime_api.h>

namespace blink::storm {

/// Loads the kernel on the current device. Loading waits for running kernels,
/// so this must not be left to the first launch, which may be during a job.
cudaError_t prepareCopies();

/// Launches a copy between pinned host memory and memory of the current device.
cudaError_t launchCopy(void *to, const void *from, size_t bytes,
                       cudaStream_t stream);

} // namespace blink::storm

#endif // BLINK_TEST_STORM_COPYKERNEL_H
