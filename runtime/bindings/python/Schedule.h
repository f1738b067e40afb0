//===- Schedule.h - blink.Schedule ------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_PYTHON_SCHEDULE_H
#define BLINK_RUNTIME_BINDINGS_PYTHON_SCHEDULE_H

#include "runtime/bindings/python/Errors.h"

#include <nanobind/nanobind.h>

#include <shared_mutex>

namespace blink::python {

class Schedule {
public:
  /// `file`: a path (str or os.PathLike), or the bytes of a file.
  Schedule(nanobind::handle file, nanobind::args others);
  Schedule(const Schedule &) = delete;
  Schedule &operator=(const Schedule &) = delete;
  ~Schedule() { blinkScheduleClose(handle_); }

  void add(nanobind::handle path);
  int ranks();
  void close();

  /// Calls `use` with the blinkSchedule_t, without the GIL. Other threads may
  /// do so at the same time, as ranks that wait for each other do.
  template <typename Function> Outcome with(Function use) {
    nanobind::gil_scoped_release release;
    std::shared_lock<std::shared_mutex> lock(mutex_);
    return handle_ ? use(handle_) : closed();
  }

private:
  static Outcome closed() {
    return {blinkInvalidUsage, "the schedule is closed"};
  }

  std::shared_mutex mutex_;
  blinkSchedule_t handle_ = nullptr;
};

void bindSchedule(nanobind::module_ &module);

} // namespace blink::python

#endif // BLINK_RUNTIME_BINDINGS_PYTHON_SCHEDULE_H
