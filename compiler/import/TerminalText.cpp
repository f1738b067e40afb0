//===- TerminalText.cpp - text copied from a terminal ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/TerminalText.h"

#include "compiler/support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace blink;

/// Removes ANSI escape sequences: ESC [ parameters letter.
static std::string withoutEscapes(llvm::StringRef line) {
  std::string text;
  for (size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\x1b' && at + 1 < line.size() && line[at + 1] == '[') {
      at += 2;
      while (at < line.size() && !llvm::isAlpha(line[at]))
        ++at;
    } else if (line[at] != '\r') {
      text += line[at];
    }
  }
  return llvm::StringRef(text).rtrim().str();
}

std::vector<llvm::StringRef> blink::wordsOf(llvm::StringRef text) {
  std::vector<llvm::StringRef> words;
  while (!(text = text.ltrim()).empty()) {
    words.push_back(
        text.take_until([](char letter) { return llvm::isSpace(letter); }));
    text = text.drop_front(words.back().size());
  }
  return words;
}

std::vector<TextLine> blink::terminalLines(llvm::StringRef text,
                                           llvm::StringRef fileName) {
  std::vector<TextLine> lines;
  while (!text.empty()) {
    llvm::StringRef line;
    std::tie(line, text) = text.split('\n');
    lines.push_back(
        {withoutEscapes(line),
         (fileName + ":" + llvm::Twine(lines.size() + 1) + ":1").str()});
  }
  return lines;
}

llvm::Error blink::errorAt(const TextLine &line, const llvm::Twine &message) {
  return makeError(line.where + ": error: " + message);
}

std::optional<int> blink::numberAfter(llvm::StringRef prefix,
                                      llvm::StringRef word) {
  int number = 0;
  if (!word.consume_front(prefix) || word.empty() || word.size() > 5 ||
      !llvm::all_of(word, llvm::isDigit) || word.getAsInteger(10, number))
    return std::nullopt;
  return number;
}
