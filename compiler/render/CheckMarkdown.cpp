//===- CheckMarkdown.cpp - results of a check as Markdown -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/CheckReport.h"

#include "llvm/ADT/StringRef.h"

using namespace blink;

/// Escapes all markup and puts the text on one line. Names may contain
/// anything.
static std::string escapeMarkdown(llvm::StringRef text) {
  std::string escaped;
  for (char symbol : text) {
    if (static_cast<unsigned char>(symbol) < ' ')
      symbol = ' ';
    if (llvm::StringRef("\\`*_[]<>&|#").contains(symbol))
      escaped += '\\';
    escaped += symbol;
  }
  return escaped;
}

static std::string toRow(const std::vector<std::string> &cells) {
  std::string row = "|";
  for (const std::string &cell : cells)
    row += " " + escapeMarkdown(cell) + " |";
  return row + "\n";
}

std::string blink::toMarkdown(const std::vector<MachineResult> &results,
                              const CheckTolerance &tolerance) {
  std::vector<std::string> headings = tableHeadings();
  std::string text = "### Schedules: " + countVerdicts(results) + "\n\n" +
                     toRow(headings) + "|---|";
  for (size_t i = 1; i + 1 < headings.size(); ++i)
    text += "---:|";
  text += "---|\n";
  for (const MachineResult &result : results)
    text += toRow(tableCells(result));
  for (const MachineResult *result : byImportance(results)) {
    std::vector<std::string> lines = describe(*result);
    if (!lines.empty())
      text += "\n**" + escapeMarkdown(result->name) + ": " +
              toString(result->verdict()).str() + "**\n\n";
    for (const std::string &line : lines)
      text += "- " + escapeMarkdown(line) + "\n";
  }
  return text + "\n" + describeTolerance(tolerance) + "\n";
}
