//===- Threads.h - calls that wait for each other ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_API_THREADS_H
#define BLINK_RUNTIME_API_THREADS_H

#include "runtime/api/Errors.h"

#include <functional>
#include <vector>

namespace blink::runtime {

/// Calls body(0) to body(count - 1) at the same time, the last one on this
/// thread and the others on threads of their own. Returns when all have
/// returned, with their results. If a thread cannot be started, the result of
/// its body is a system error.
std::vector<Status> onThreads(size_t count,
                              const std::function<Status(size_t)> &body);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_API_THREADS_H
