//===- Text.cpp - common parts of text reports ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/Text.h"

#include "llvm/Support/FormatVariadic.h"

using namespace blink;

std::string blink::title(const Summary &summary) {
  return llvm::formatv(
      "{0} on {1}, {2} {3}", formatCollective(summary.collective, summary.root),
      summary.topology, summary.gpus.size() == 1 ? "GPU" : "GPUs",
      summary.gpuList());
}

std::string blink::linkEditsLine(const std::vector<LinkEdit> &edits) {
  if (edits.empty())
    return "";
  return "  links   " + describeEdits(edits) + "\n";
}

std::string blink::counted(size_t count, const char *one, const char *several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

std::string blink::toTable(const std::vector<std::vector<std::string>> &rows) {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto &row : rows) {
    text += row.front() + std::string(widths.front() - row.front().size(), ' ');
    for (size_t i = 1; i + 1 < row.size(); ++i)
      text += "  " + std::string(widths[i] - row[i].size(), ' ') + row[i];
    text += "  " + row.back() + "\n";
  }
  return text;
}

std::vector<std::string> blink::toLines(llvm::ArrayRef<Finding> findings) {
  // One more finding is worth more than a line "... and 1 more".
  constexpr size_t kMostShown = 4;
  std::vector<std::string> lines;
  for (size_t begin = 0, end; begin < findings.size(); begin = end) {
    end = begin + 1;
    while (end < findings.size() &&
           findings[end].group() == findings[begin].group())
      ++end;
    size_t shown = end - begin > kMostShown ? kMostShown - 1 : end - begin;
    for (const Finding &finding : findings.slice(begin, shown))
      lines.push_back(finding.subject + ": " +
                      toString(finding.severity).str() + ": " + finding.words);
    if (shown < end - begin)
      lines.push_back(
          llvm::formatv("... and {0} more", end - begin - shown).str());
  }
  return lines;
}
