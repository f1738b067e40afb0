//===- ProofReport.h - reports on a proof -----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_RENDER_PROOFREPORT_H
#define BLINK_COMPILER_RENDER_PROOFREPORT_H

#include "compiler/report/Summary.h"
#include "compiler/topology/DegradeLinks.h"
#include "compiler/verify/Verify.h"

namespace blink {

/// What `blinkc verify` reports about a schedule.
struct ProvedSchedule {
  struct Program {
    Summary summary;
    VerifyReport report;
  };

  std::vector<LinkEdit> edits; ///< of the machine, as the file records them
  std::vector<Program> programs;

  bool ok() const;
};
std::string toText(const ProvedSchedule &schedule);
/// Returns an object for a single program; for several, a list of such objects
/// with an "ok" for all of them.
std::string toJson(const ProvedSchedule &schedule);

} // namespace blink

#endif // BLINK_COMPILER_RENDER_PROOFREPORT_H
