//===- CallbackThreads.h - threads for callbacks of futures -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_TORCH_CALLBACKTHREADS_H
#define BLINK_RUNTIME_BINDINGS_TORCH_CALLBACKTHREADS_H

#include <chrono>
#include <functional>

namespace blink::pytorch {

/// Runs `task` soon, in a thread that no other task blocks. A callback of a
/// future may wait for another future, as PowerSGD's does; there are therefore
/// as many threads as tasks at a time. The threads stay for further tasks.
void runCallback(std::function<void()> task);

/// Waits until no task is waiting or running, at most for `most`. To be called
/// before Python ends, because its end does not let threads finish.
void finishCallbacks(std::chrono::milliseconds most);

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_CALLBACKTHREADS_H
