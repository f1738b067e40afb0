//===- Text.h - common parts of text reports --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_RENDER_TEXT_H
#define BLINK_COMPILER_RENDER_TEXT_H

#include "compiler/report/Finding.h"
#include "compiler/topology/DegradeLinks.h"

namespace blink {

/// "allreduce on dgx1, GPUs 0,1,2,3".
std::string title(const Summary &summary);

/// Returns "  links   without gpu0:gpu3", a line for reports; empty without
/// edits.
std::string linkEditsLine(const std::vector<LinkEdit> &edits);

/// "1 class", "68 classes".
std::string counted(size_t count, const char *one, const char *several);

/// Formats rows of cells as lines with aligned columns: the first and the last
/// column to the left, the numbers between them to the right. All rows have the
/// same number of cells.
std::string toTable(const std::vector<std::vector<std::string>> &rows);

/// Returns a line for each of the sorted `findings`: "subject: worse: words". A
/// group of findings with the same severity, aspect and collective (the
/// allocations of a bundle, the links of a machine) is cut to its first ones
/// and "... and 12 more".
std::vector<std::string> toLines(llvm::ArrayRef<Finding> findings);

} // namespace blink

#endif // BLINK_COMPILER_RENDER_TEXT_H
