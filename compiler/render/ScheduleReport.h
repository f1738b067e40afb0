//===- ScheduleReport.h - what is said of a compiled schedule ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_RENDER_SCHEDULEREPORT_H
#define BLINK_COMPILER_RENDER_SCHEDULEREPORT_H

#include "compiler/report/Summary.h"
#include "compiler/topology/DegradeLinks.h"

namespace blink {

/// A program that was compiled and proved: what `blinkc compile` says of it.
struct CompiledProgram {
  Summary summary;
  std::vector<LinkEdit> edits;
  size_t fileBytes = 0;
  std::string output; ///< the file's path; empty: not written
  double seconds = 0;
  /// Of the bound, GB/s: where no switch reduces or multicasts.
  double linksBound = 0;
  /// Of the variants, that are in symmetric form; nothing: none were to be.
  std::optional<size_t> symmetricVariants = {};
  /// Why others are not, a sentence each.
  std::vector<std::string> notSymmetric = {};
};
std::string toText(const CompiledProgram &program);
std::string toJson(const CompiledProgram &program);

/// A program taken out of a bundle: what `blinkc extract` says of it.
struct ExtractedProgram {
  Summary summary;
  size_t fileBytes = 0;
  std::string output;
};
std::string toText(const ExtractedProgram &program);

} // namespace blink

#endif // BLINK_COMPILER_RENDER_SCHEDULEREPORT_H
