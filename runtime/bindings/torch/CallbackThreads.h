//===- CallbackThreads.h - who runs callbacks of futures --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_TORCH_CALLBACKTHREADS_H
#define BLINK_RUNTIME_BINDINGS_TORCH_CALLBACKTHREADS_H

#include <functional>

namespace blink::pytorch {

/// Runs `task` soon, in a thread that no other task holds up: a callback of a
/// future may wait for another future, as PowerSGD's does, so there are as many
/// threads as tasks at a time. They stay for further tasks.
void runCallback(std::function<void()> task);

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_CALLBACKTHREADS_H
