//===- Liveness.h - what the system says of a process -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_LIVENESS_H
#define BLINK_RUNTIME_FLIGHT_LIVENESS_H

#include <cstdint>

namespace blink::runtime {

enum class Liveness : uint8_t {
  unknown, ///< of another namespace
  runs,
  stopped, ///< by a signal, or a debugger
  dead,
};

/// When a process was started, in the system's clock ticks; 0: there is none.
uint64_t startOf(uint64_t process);
/// The namespace that this process's numbers are of.
uint64_t pidNamespace();

/// What became of the process that had the number `process`, in `pidNamespace`,
/// and was started at `started`: another one may have its number by now.
Liveness livenessOf(uint64_t process, uint64_t started, uint64_t pidNamespace);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_LIVENESS_H
