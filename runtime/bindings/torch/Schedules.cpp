//===- Schedules.cpp - the schedules of a process -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/Schedules.h"

#include "runtime/bindings/torch/Errors.h"

#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <mutex>

namespace blink::pytorch {
namespace {

std::string shippedBundle;

/// Schedules that are opened by the first thread that needs them, once per
/// process: a child of fork() opens its own.
class Opened {
public:
  Schedules get(const std::function<blinkResult_t(blinkSchedule_t *)> &open) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!schedules_ || process_ != getpid()) {
      blinkSchedule_t opened = nullptr;
      check(open(&opened));
      schedules_ = Schedules(opened, blinkScheduleClose);
      process_ = getpid();
    }
    return schedules_;
  }

private:
  std::mutex mutex_;
  Schedules schedules_;
  pid_t process_ = 0;
};

} // namespace

void setHostSchedules(const std::string &path) { shippedBundle = path; }

bool hasOwnHostSchedules() {
  const char *places = std::getenv("BLINK_HOST_SCHEDULES");
  return places && *places;
}

Schedules hostSchedules(int ranks) {
  static Opened *const opened = new Opened;
  if (hasOwnHostSchedules())
    return opened->get([](blinkSchedule_t *schedule) {
      const blinkResult_t result =
          blinkScheduleFind(std::getenv("BLINK_HOST_SCHEDULES"), schedule);
      if (result != blinkSuccess)
        return result;
      // For groups whose ranks are all on one host.
      const blinkResult_t added =
          blinkScheduleAdd(*schedule, shippedBundle.c_str());
      if (added != blinkSuccess)
        blinkScheduleClose(*schedule);
      return added;
    });
  const Schedules shipped = opened->get([](blinkSchedule_t *schedule) {
    return blinkScheduleOpen(shippedBundle.c_str(), schedule);
  });
  int most = 0;
  check(blinkScheduleRanks(shipped.get(), &most));
  if (ranks > most)
    raise("the group has " + std::to_string(ranks) +
          " ranks, and the package's schedules are for " +
          std::to_string(most) +
          ": compile some with `blinkc topo fully-connected` and `blinkc "
          "compile`, and set BLINK_HOST_SCHEDULES");
  return shipped;
}

Schedules cudaSchedules() {
  static Opened *const opened = new Opened;
  return opened->get([](blinkSchedule_t *schedule) {
    return blinkScheduleFind(nullptr, schedule);
  });
}

} // namespace blink::pytorch
