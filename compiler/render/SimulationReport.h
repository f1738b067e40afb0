//===- SimulationReport.h - what is said of a simulation --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_RENDER_SIMULATIONREPORT_H
#define BLINK_COMPILER_RENDER_SIMULATIONREPORT_H

#include "compiler/report/Summary.h"
#include "compiler/simulate/Simulate.h"

namespace blink {

/// A program that was simulated: what `blinkc simulate` says of it.
struct SimulatedProgram {
  Summary summary;
  SimulationOptions options;
  uint64_t bytes = 0; ///< of a message
  Simulation simulation;
  double modelMicroseconds = 0; ///< what the model of time says of it
  std::string busiestLink;      ///< "gpu0 -> gpu3 (nvlink)"
  double busiestUse = 0;        ///< the part of its bandwidth that it used

  /// GB/s.
  double algbw() const;
};
std::string toText(const SimulatedProgram &program);
std::string toJson(const SimulatedProgram &program);

} // namespace blink

#endif // BLINK_COMPILER_RENDER_SIMULATIONREPORT_H
