//===- ReplayReport.h - reports on a replay ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_RENDER_REPLAYREPORT_H
#define BLINK_COMPILER_RENDER_REPLAYREPORT_H

#include "compiler/report/Summary.h"

namespace blink {

/// A program replayed on the host: what `blinkc run` reports.
struct ReplayedProgram {
  Summary summary;
  std::string type, op; ///< of the elements
  int servers = 0;      ///< 0: one process; else one per rank, on this many
  bool inPlace = false;
  int iterations = 1;
  uint64_t bytes = 0;     ///< of a message, as it ran
  uint64_t checked = 0;   ///< elements, over ranks and iterations
  uint64_t wrong = 0;     ///< of these
  std::string firstWrong; ///< its place
  double seconds = 0;     ///< of a typical iteration

  /// Returns the GB/s of this replay.
  double measuredAlgbw() const;
};
std::string toText(const ReplayedProgram &program);
std::string toJson(const ReplayedProgram &program);

} // namespace blink

#endif // BLINK_COMPILER_RENDER_REPLAYREPORT_H
