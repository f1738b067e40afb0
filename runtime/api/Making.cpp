//===- Making.cpp - making communicators in the background ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Making.h"

#include "runtime/QuietThread.h"

namespace blink::runtime {

Status Making::start(std::function<Status(FirstError &ended)> make) {
  return startQuietThread(thread_, [this, make = std::move(make)] {
    status_ = withoutExceptions([&] { return make(ended_); });
    over_.store(true, std::memory_order_release);
  });
}

Status Making::outcome() const {
  if (!over_.load(std::memory_order_acquire))
    return {blinkInProgress, "the communicator is being made: wait until "
                             "blinkCommGetAsyncError says that it is"};
  return status_;
}

Status Making::usable() const {
  Status status = outcome();
  if (status.code == blinkInProgress)
    status.code = blinkInvalidUsage;
  return status;
}

void Making::end(const Status &why) {
  ended_.note(why);
  wait();
}

void Making::wait() {
  std::lock_guard<std::mutex> lock(joining_);
  if (thread_.joinable())
    thread_.join();
}

} // namespace blink::runtime
