//===- Schedule.cpp - blink.Schedule --------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/python/Schedule.h"

#include <mutex>
#include <string>

namespace nb = nanobind;
using namespace nb::literals;

namespace blink::python {
namespace {

std::string readPath(nb::handle path) {
  nb::bytes bytes = nb::cast<nb::bytes>(
      // TypeError if it is not a path
      nb::module_::import_("os").attr("fsencode")(path));
  std::string text(bytes.c_str(), bytes.size());
  if (text.find('\0') != std::string::npos)
    refuse("the path has a null character");
  return text;
}

constexpr const char *kScheduleDoc =
    R"(The programs of one or several ``.sched`` files, single schedules or bundles.

``file`` is a path, or the bytes of a file; ``others`` are paths. The schedule
may be closed as soon as the communicators have been created, which keep what
they need.

    with blink.Schedule("machine.sched") as schedule:
        comms = blink.Communicator.all(schedule, 4))";

constexpr const char *kAddDoc =
    R"(Adds the programs of another file.

One communicator can then serve several collectives that were compiled
separately. If two programs fit a call, the one that was opened first is used.
Communicators that already exist do not use the added programs.)";

constexpr const char *kRanksDoc =
    R"(The number of ranks of the first file: of its first program or, if the file
is a bundle, the number of GPUs of the machine.)";

} // namespace

Schedule::Schedule(nb::handle file, nb::args others) {
  Outcome outcome;
  if (nb::isinstance<nb::bytes>(file)) {
    nb::bytes data = nb::borrow<nb::bytes>(file);
    outcome = blinkScheduleOpenMemory(data.data(), data.size(), &handle_);
  } else {
    const std::string path = readPath(file);
    nb::gil_scoped_release release;
    outcome = blinkScheduleOpen(path.c_str(), &handle_);
  }
  outcome.raiseIfFailed();
  try {
    for (nb::handle path : others)
      add(path);
  } catch (...) {
    blinkScheduleClose(handle_);
    throw;
  }
}

void Schedule::add(nb::handle path) {
  const std::string name = readPath(path);
  Outcome outcome;
  {
    nb::gil_scoped_release release;
    std::unique_lock<std::shared_mutex> lock(mutex_);
    outcome =
        handle_ ? Outcome(blinkScheduleAdd(handle_, name.c_str())) : closed();
  }
  outcome.raiseIfFailed();
}

int Schedule::ranks() {
  int ranks = 0;
  with([&](blinkSchedule_t schedule) {
    return Outcome(blinkScheduleRanks(schedule, &ranks));
  }).raiseIfFailed();
  return ranks;
}

void Schedule::close() {
  nb::gil_scoped_release release;
  std::unique_lock<std::shared_mutex> lock(mutex_);
  blinkScheduleClose(std::exchange(handle_, nullptr));
}

void bindSchedule(nb::module_ &module) {
  nb::class_<Schedule>(module, "Schedule", kScheduleDoc)
      .def(nb::init<nb::handle, nb::args>(), "file"_a, "others"_a,
           nb::sig("def __init__(self, file: str | bytes | os.PathLike, "
                   "*others: str | os.PathLike) -> None"))
      .def("add", &Schedule::add, "path"_a, kAddDoc,
           nb::sig("def add(self, path: str | os.PathLike) -> None"))
      .def_prop_ro("ranks", &Schedule::ranks, kRanksDoc)
      .def("close", &Schedule::close,
           "Frees the schedule. Closing it again has no effect.")
      .def(
          "__enter__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __enter__(self) -> Schedule"))
      .def(
          "__exit__", [](Schedule &self, nb::args) { self.close(); },
          nb::sig("def __exit__(self, *exception: object) -> None"));
}

} // namespace blink::python
