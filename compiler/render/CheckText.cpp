//===- CheckText.cpp - results of a check as text -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Also contains the functions that the other formats share.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/CheckReport.h"

#include "compiler/render/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace blink;

std::vector<const MachineResult *>
blink::byImportance(const std::vector<MachineResult> &results) {
  std::vector<const MachineResult *> ordered;
  for (const MachineResult &result : results)
    ordered.push_back(&result);
  llvm::stable_sort(ordered,
                    [](const MachineResult *a, const MachineResult *b) {
                      return a->verdict() < b->verdict();
                    });
  return ordered;
}

std::string blink::countVerdicts(const std::vector<MachineResult> &results) {
  std::map<Verdict, int> counts;
  for (const MachineResult &result : results)
    ++counts[result.verdict()];
  std::vector<std::string> words;
  for (auto [verdict, count] : counts)
    words.push_back(
        llvm::formatv("{0} {1}", count, toString(verdict).lower()).str());
  return llvm::join(words, ", ");
}

std::string blink::describeTolerance(const CheckTolerance &tolerance) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("A rate more than %.4g %% lower, or a predicted time "
                      "more than %.4g %% longer, is worse.",
                      100 * tolerance.rate, 100 * tolerance.time);
  return text;
}

std::vector<std::string> blink::tableHeadings() {
  return {"machine", "allocations", "classes", "programs",  "least % of bound",
          "seconds", "worse",       "better",  "different", "verdict"};
}

std::vector<std::string> blink::tableCells(const MachineResult &result) {
  return {result.name,
          std::to_string(result.now.numAllocations()),
          std::to_string(result.now.classes.size()),
          std::to_string(result.now.numPrograms()),
          llvm::formatv("{0:F2}", 100 * result.worstRatio).str(),
          llvm::formatv("{0:F2}", result.seconds).str(),
          std::to_string(result.count(Severity::worse)),
          std::to_string(result.count(Severity::better)),
          std::to_string(result.count(Severity::different)),
          toString(result.verdict()).str()};
}

std::vector<std::string> blink::describe(const MachineResult &result) {
  std::vector<std::string> lines = result.problems;
  if (result.isNew)
    lines.push_back("there was no golden summary; --update writes one");
  llvm::append_range(lines, toLines(result.findings));
  return lines;
}

std::string blink::toText(const std::vector<MachineResult> &results,
                          const CheckTolerance &tolerance) {
  std::vector<std::vector<std::string>> rows{tableHeadings()};
  for (const MachineResult &result : results)
    rows.push_back(tableCells(result));
  std::string text = toTable(rows);
  for (const MachineResult *result : byImportance(results)) {
    std::vector<std::string> lines = describe(*result);
    if (!lines.empty())
      text +=
          "\n" + result->name + ": " + toString(result->verdict()).str() + "\n";
    for (const std::string &line : lines)
      text += "  " + line + "\n";
  }
  text += llvm::formatv(
      "\n{0} of {1} machine {2}. {3}\n", countVerdicts(results), results.size(),
      results.size() == 1 ? "type" : "types", describeTolerance(tolerance));
  return text;
}
