//===- Liveness.h - whether a process runs ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_LIVENESS_H
#define BLINK_RUNTIME_FLIGHT_LIVENESS_H

#include <cstdint>

namespace blink::runtime {

enum class Liveness : uint8_t {
  unknown, ///< in another namespace
  runs,
  stopped, ///< by a signal, or a debugger
  dead,
};

/// Returns when a process was started, in the system's clock ticks; 0: there is
/// no such process.
uint64_t startOf(uint64_t process);
/// Returns the namespace in which this process's process ids are valid.
uint64_t pidNamespace();

/// Returns the state of the process that had the id `process` in `pidNamespace`
/// and was started at `started`. Another process may have the same id by now.
Liveness livenessOf(uint64_t process, uint64_t started, uint64_t pidNamespace);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_LIVENESS_H
