//===- Module.cpp - blink_torch._core -------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/Backend.h"
#include "runtime/bindings/torch/CallbackThreads.h"
#include "runtime/bindings/torch/Schedules.h"

#include <torch/csrc/utils/pybind.h>
#include <torch/version.h>

#include <pybind11/chrono.h>

namespace py = pybind11;
using blink::pytorch::Backend;

namespace {

using Options = c10d::Backend::Options;

c10::intrusive_ptr<Backend> create(const c10::intrusive_ptr<c10d::Store> &store,
                                   int rank, int size,
                                   std::chrono::milliseconds timeout,
                                   const std::string &group) {
  auto options = c10::make_intrusive<Options>("blink", timeout);
  options->group_name = group;
  return c10::make_intrusive<Backend>(store, rank, size, std::move(options));
}

} // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "torch.distributed's back end `blink`: see blink_torch";
  module.attr("torch_version") = TORCH_VERSION;
  module.def("set_host_schedules", &blink::pytorch::setHostSchedules);
  const py::module_ c10d = py::module_::import("torch._C._distributed_c10d");
  py::class_<Backend, c10::intrusive_ptr<Backend>>(module, "ProcessGroupBlink",
                                                   c10d.attr("Backend"))
      // A rank outside a subgroup takes no part in making it.
      .def("perform_nocolor_split", [](const Backend &, const py::object &) {});
  module.def("finish_callbacks", &blink::pytorch::finishCallbacks,
             py::call_guard<py::gil_scoped_release>());
  module.def("create", &create, py::arg("store"), py::arg("rank"),
             py::arg("size"), py::arg("timeout"), py::arg("group"),
             py::call_guard<py::gil_scoped_release>());
}
