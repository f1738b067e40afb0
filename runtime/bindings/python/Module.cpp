//===- Module.cpp - the extension module blink._core ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// blink/__init__.py exports the public part.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/python/Communicator.h"
#include "runtime/bindings/python/Group.h"
#include "runtime/bindings/python/Schedule.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace blink::python;

namespace {

std::string version() {
  int number = 0;
  Outcome(blinkGetVersion(&number)).raiseIfFailed();
  return std::to_string(number / 10000) + "." +
         std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

nb::bytes uniqueId() {
  blinkUniqueId id;
  Outcome(blinkGetUniqueId(&id)).raiseIfFailed();
  return nb::bytes(id.internal, sizeof id.internal);
}

constexpr const char *kUniqueIdDoc =
    R"(Returns an id for one job whose ranks are processes of this user, on this
machine or on several.

One process calls this function and passes the bytes to all others. The bytes
are a secret, so nobody else may be able to read them. The process must live
until all ranks have joined.)";

} // namespace

NB_MODULE(_core, module) {
  // Objects may exist when a program ends; that is no defect worth a message.
  nb::set_leak_warnings(false);
  module.attr("version") = version();
  module.def("unique_id", uniqueId, kUniqueIdDoc);
  module.def("start_group", startGroup, "Begins a group: see blink.group.");
  module.def("end_group", endGroup, "run"_a,
             "Ends a group: runs its calls, or discards them.");
  module.def("start_estimate", startEstimate,
             "Begins an estimate: see blink.estimate.");
  module.def("end_estimate", endEstimate,
             "Drops the calls since start_estimate: the microseconds that they "
             "would take.");
  bindSchedule(module);
  nb::class_<Communicator> communicator = bindCommunicator(module);
  bindCollectives(communicator);
  bindRegistration(module, communicator);
}
