//===- Registration.cpp - registered buffers ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Communicator.register, and memory of blinkMemAlloc.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/python/Communicator.h"

#include <thread>

namespace nb = nanobind;
using namespace nb::literals;

namespace blink::python {
namespace {

struct Registration {
  std::shared_ptr<CommState> comm;
  void *handle;
};

/// Calls `use` with the communicator while no other call uses it, without the
/// GIL.
template <typename Function> void exclusively(CommState &comm, Function use) {
  Outcome outcome = comm.usable();
  if (outcome.ok()) {
    nb::gil_scoped_release release;
    std::lock_guard<std::mutex> turn(comm.turn);
    std::lock_guard<std::mutex> life(comm.life);
    outcome = comm.handle ? Outcome(use(comm.handle)) : CommState::closed();
  }
  outcome.raiseIfFailed();
}

Registration registerBuffer(const Communicator &self, nb::handle object) {
  CommState &comm = *self.state;
  Buffer buffer = readBuffer(object, "buffer", {Access::write, comm.gpu});
  void *handle = nullptr;
  exclusively(comm, [&](blinkComm_t to) {
    return blinkCommRegister(to, buffer.data, buffer.bytes, &handle);
  });
  comm.registered.emplace(handle, std::move(buffer));
  return {self.state, handle};
}

void deregister(Registration &self) {
  CommState &comm = *self.comm;
  // Closing the communicator has ended the registration.
  if (!comm.registered.count(self.handle))
    return;
  exclusively(comm, [&](blinkComm_t from) {
    return blinkCommDeregister(from, self.handle);
  });
  comm.registered.erase(self.handle);
}

nb::ndarray<nb::memview, uint8_t, nb::ndim<1>> allocate(size_t bytes) {
  void *memory = nullptr;
  Outcome outcome;
  // A thread that uses no GPU gets host memory, which a memoryview requires.
  std::thread([&] { outcome = blinkMemAlloc(&memory, bytes); }).join();
  outcome.raiseIfFailed();
  nb::capsule owner(memory, [](void *freed) noexcept { blinkMemFree(freed); });
  return {memory, {bytes}, owner};
}

constexpr const char *kRegisterDoc =
    R"(Registers a buffer, so that other ranks can access it directly.

This rank alone makes the call, at any time. Collectives that begin after the
other ranks have noticed the registration use it. On the host, only memory of
allocate() profits. The registration lasts until it is closed, which a ``with``
statement does at its end, or until the communicator is closed. Until then the
buffer is kept alive.

    memory = numpy.frombuffer(blink.allocate(1 << 20), numpy.float32)
    with comm.register(memory):
        comm.all_reduce(memory))";

constexpr const char *kAllocateDoc =
    R"(Allocates zeroed host memory that ranks in other processes can access
directly once it is registered.

    array = numpy.frombuffer(blink.allocate(4 * count), numpy.float32))";

} // namespace

void bindRegistration(nb::module_ &module,
                      nb::class_<Communicator> &communicator) {
  nb::class_<Registration>(module, "Registration",
                           "A registered buffer, as returned by "
                           "Communicator.register.")
      .def("close", deregister,
           "Ends the registration. Returns when no other process has the "
           "buffer mapped any more.")
      .def(
          "__enter__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __enter__(self) -> Registration"))
      .def(
          "__exit__", [](Registration &self, nb::args) { deregister(self); },
          nb::sig("def __exit__(self, *exception: object) -> None"));
  communicator.def("register", registerBuffer, "buffer"_a, kRegisterDoc);
  module.def("allocate", allocate, "nbytes"_a, kAllocateDoc,
             nb::sig("def allocate(nbytes: int) -> memoryview"));
}

} // namespace blink::python
