//===- CallbackThreads.h - who runs callbacks of futures --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_TORCH_CALLBACKTHREADS_H
#define BLINK_RUNTIME_BINDINGS_TORCH_CALLBACKTHREADS_H

#include <chrono>
#include <functional>

namespace blink::pytorch {

/// Runs `task` soon, in a thread that no other task holds up: a callback of a
/// future may wait for another future, as PowerSGD's does, so there are as many
/// threads as tasks at a time. They stay for further tasks.
void runCallback(std::function<void()> task);

/// Waits until no task is left or under way, or for so long. To be called
/// before Python ends, which does not let its threads come to their ends.
void finishCallbacks(std::chrono::milliseconds most);

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_CALLBACKTHREADS_H
