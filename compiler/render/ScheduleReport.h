//===- ScheduleReport.h - reports on a compiled schedule --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_RENDER_SCHEDULEREPORT_H
#define BLINK_COMPILER_RENDER_SCHEDULEREPORT_H

#include "compiler/report/Summary.h"
#include "compiler/topology/DegradeLinks.h"

namespace blink {

/// A compiled and proved program: what `blinkc compile` reports.
struct CompiledProgram {
  Summary summary;
  std::vector<LinkEdit> edits;
  size_t fileBytes = 0;
  std::string output; ///< path; empty: not written
  double seconds = 0;
  /// The bound in GB/s as if no switch reduced or multicast.
  double linksBound = 0;
  /// If switches were to reduce and multicast, but none does: why.
  std::string whyNoSwitch = {};
  /// Number of variants in symmetric form; std::nullopt: not asked for.
  std::optional<size_t> symmetricVariants = {};
  /// Why the others are not, one sentence each.
  std::vector<std::string> notSymmetric = {};
};
std::string toText(const CompiledProgram &program);
std::string toJson(const CompiledProgram &program);

/// A program taken out of a bundle: what `blinkc extract` reports.
struct ExtractedProgram {
  Summary summary;
  size_t fileBytes = 0;
  std::string output;
};
std::string toText(const ExtractedProgram &program);

} // namespace blink

#endif // BLINK_COMPILER_RENDER_SCHEDULEREPORT_H
