//===- SimulationTrace.h - a simulation as a trace --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SIMULATE_SIMULATIONTRACE_H
#define BLINK_COMPILER_SIMULATE_SIMULATIONTRACE_H

#include "compiler/simulate/Simulate.h"

namespace blink {

/// Returns the steps of `program`, which has lanes, as variant 0 of a trace
/// names them.
sched::TraceVariant traceVariantOf(const FoldProgram &program,
                                   std::string name);

/// Returns the events of a simulation of `program`. `ranks` and `links` are the
/// names of the program's ranks and links.
sched::ReplayTrace traceOf(const FoldProgram &program,
                           const SimulatedEvents &events, std::string name,
                           std::vector<std::string> ranks,
                           std::vector<std::string> links);

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_SIMULATIONTRACE_H
