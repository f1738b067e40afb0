//===- CheckReport.h - results of a check, for people and CI ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_RENDER_CHECKREPORT_H
#define BLINK_COMPILER_RENDER_CHECKREPORT_H

#include "compiler/check/MachineCheck.h"

namespace blink {

/// Formats the table and the findings as text for a terminal.
std::string toText(const std::vector<MachineResult> &results,
                   const CheckTolerance &tolerance);

/// Formats all changes as JSON; `ok`: all machines pass.
std::string toJson(const std::vector<MachineResult> &results, bool ok,
                   const CheckTolerance &tolerance);

/// Formats the same as toText in GitHub's and GitLab's Markdown, for a summary
/// or a comment.
std::string toMarkdown(const std::vector<MachineResult> &results,
                       const CheckTolerance &tolerance);

/// Formats JUnit XML: a suite for each machine, with a case for the proof and
/// one for each collective. A case fails if something became worse. Better and
/// different findings go into its output.
std::string toJUnit(const std::vector<MachineResult> &results);

/// Returns the results, most important first; ties keep their order.
std::vector<const MachineResult *>
byImportance(const std::vector<MachineResult> &results);

/// "1 wrong, 2 worse, 5 good": counts machines.
std::string countVerdicts(const std::vector<MachineResult> &results);

/// "A rate more than 0.1 % lower, or a predicted time more than 1 % longer, is
/// worse."
std::string describeTolerance(const CheckTolerance &tolerance);

/// The columns of the tables: headings and cells.
std::vector<std::string> tableHeadings();
std::vector<std::string> tableCells(const MachineResult &result);

/// Returns the lines below the table: problems, then findings. Of many findings
/// of one kind it has the first only.
std::vector<std::string> describe(const MachineResult &result);

} // namespace blink

#endif // BLINK_COMPILER_RENDER_CHECKREPORT_H
