//===- TerminalText.h - text copied from a terminal -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_IMPORT_TERMINALTEXT_H
#define BLINK_COMPILER_IMPORT_TERMINALTEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace blink {

/// A line without escape sequences (underlines, colours), carriage returns and
/// trailing blanks.
struct TextLine {
  std::string text;
  std::string where; ///< "topo.txt:3:1"
};

/// Splits at blanks and tabs.
std::vector<llvm::StringRef> wordsOf(llvm::StringRef text);

/// The lines of a program's output.
std::vector<TextLine> terminalLines(llvm::StringRef text,
                                    llvm::StringRef fileName);

/// "topo.txt:3:1: error: ..."
llvm::Error errorAt(const TextLine &line, const llvm::Twine &message);

/// Returns the number k of "GPU3", "NIC12"; std::nullopt if `word` is no such
/// name.
std::optional<int> numberAfter(llvm::StringRef prefix, llvm::StringRef word);

} // namespace blink

#endif // BLINK_COMPILER_IMPORT_TERMINALTEXT_H
