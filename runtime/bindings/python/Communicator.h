//===- Communicator.h - blink.Communicator ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_PYTHON_COMMUNICATOR_H
#define BLINK_RUNTIME_BINDINGS_PYTHON_COMMUNICATOR_H

#include "runtime/bindings/python/CommState.h"

#include <memory>

namespace blink::python {

struct Communicator {
  std::shared_ptr<CommState> state;
};

/// Declares the class, without its collectives.
nanobind::class_<Communicator> bindCommunicator(nanobind::module_ &module);
void bindCollectives(nanobind::class_<Communicator> &communicator);
void bindRegistration(nanobind::module_ &module,
                      nanobind::class_<Communicator> &communicator);

} // namespace blink::python

#endif // BLINK_RUNTIME_BINDINGS_PYTHON_COMMUNICATOR_H
