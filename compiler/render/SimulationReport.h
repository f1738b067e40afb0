//===- SimulationReport.h - reports on a simulation -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_RENDER_SIMULATIONREPORT_H
#define BLINK_COMPILER_RENDER_SIMULATIONREPORT_H

#include "compiler/report/Summary.h"
#include "compiler/simulate/Simulate.h"

#include <optional>
#include <utility>

namespace blink {

/// A simulated program: what `blinkc simulate` reports.
struct SimulatedProgram {
  Summary summary;
  SimulationOptions options;
  uint64_t bytes = 0; ///< of a message
  Simulation simulation;
  double estimate = 0;            ///< of the file, microseconds
  std::vector<std::string> links; ///< "gpu0 -> gpu3 (nvlink)"
  std::vector<std::string> ranks; ///< "gpu0"; the relays follow
  /// The source and destination rank of each channel.
  std::vector<std::pair<int, int>> channels;

  /// Returns the rate in GB/s.
  double algbw() const;
  /// Returns the link that used most of its bandwidth; std::nullopt if nothing
  /// was sent.
  std::optional<size_t> busiestLink() const;
};
std::string toText(const SimulatedProgram &program);
std::string toJson(const SimulatedProgram &program);

} // namespace blink

#endif // BLINK_COMPILER_RENDER_SIMULATIONREPORT_H
