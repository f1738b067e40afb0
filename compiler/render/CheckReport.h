//===- CheckReport.h - what a check found, for people and for CI *- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_RENDER_CHECKREPORT_H
#define BLINK_COMPILER_RENDER_CHECKREPORT_H

#include "compiler/check/MachineCheck.h"

namespace blink {

/// The table and the findings, as text for a terminal.
std::string toText(const std::vector<MachineResult> &results,
                   const CheckTolerance &tolerance);

/// JSON with all that changed; `ok`: all of them pass.
std::string toJson(const std::vector<MachineResult> &results, bool ok,
                   const CheckTolerance &tolerance);

/// The same as the text in GitHub's and GitLab's Markdown, for a summary or a
/// comment.
std::string toMarkdown(const std::vector<MachineResult> &results,
                       const CheckTolerance &tolerance);

/// JUnit XML: a suite for each machine; in it a case for the proof, and one for
/// each collective, failed if something is worse. What is better or different
/// is in its output.
std::string toJUnit(const std::vector<MachineResult> &results);

/// Results, most important first; of equal importance in their order.
std::vector<const MachineResult *>
byImportance(const std::vector<MachineResult> &results);

/// "1 wrong, 2 worse, 5 good", of so many machines.
std::string countVerdicts(const std::vector<MachineResult> &results);

/// "A rate more than 0.1 % lower, or a predicted time more than 1 % longer, is
/// worse."
std::string describeTolerance(const CheckTolerance &tolerance);

/// The columns of the tables: heading and cell.
std::vector<std::string> tableHeadings();
std::vector<std::string> tableCells(const MachineResult &result);

/// What to read below the table: problems, then findings; of many alike the
/// first.
std::vector<std::string> describe(const MachineResult &result);

} // namespace blink

#endif // BLINK_COMPILER_RENDER_CHECKREPORT_H
