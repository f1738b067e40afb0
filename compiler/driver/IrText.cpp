//===- IrText.cpp - checks of IR text before parsing ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/IrText.h"

#include "compiler/support/LocatedJson.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <string>
#include <utility>

using namespace blink;

static constexpr size_t kMostNested = 64;

namespace {

/// Scans a text as MLIR's lexer does, but distinguishes brackets, strings,
/// comments and names only.
class Scanner {
public:
  Scanner(llvm::StringRef text, llvm::StringRef fileName)
      : text_(text), fileName_(fileName) {}

  llvm::Error scan() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (llvm::isSpace(c)) {
        ++at_;
        continue;
      }
      if (text_.substr(at_).starts_with("//")) {
        at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
        continue;
      }
      const llvm::StringRef last = std::exchange(name_, "");
      if (c == '=' && (last.starts_with("#") || last.starts_with("!")))
        return refuse(at_, "'" + last.take_front(60) +
                               "' is made a name of an attribute or type; "
                               "write what it stands for where it is used");
      if (c == '"') {
        skipString();
      } else if (text_.substr(at_).starts_with("->")) {
        at_ += 2;
      } else if (isNameCharacter(c) || c == '#' || c == '!') {
        readName();
        if (name_.contains("affine_map") || name_.contains("affine_set"))
          return refuse(at_ - name_.size(),
                        "affine maps have no meaning in IR of collectives");
      } else if (!readBracket(text_[at_++])) {
        return refuse(at_ - 1, "nested deeper than " +
                                   llvm::Twine(kMostNested) + " levels");
      }
    }
    return llvm::Error::success();
  }

private:
  static bool isNameCharacter(char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.';
  }

  llvm::Error refuse(size_t at, const llvm::Twine &what) const {
    const llvm::StringRef before = text_.take_front(at);
    const size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
    return errorAt(fileName_,
                   {int(before.count('\n')) + 1, int(at - lineStart) + 1},
                   what);
  }

  void skipString() {
    for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n';)
      at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
  }

  /// Reads a name, perhaps with a leading `#` or `!`, or a number with its
  /// suffix.
  void readName() {
    const size_t begin = at_++;
    while (at_ < text_.size() && isNameCharacter(text_[at_]))
      ++at_;
    name_ = text_.slice(begin, at_);
  }

  /// Opens or closes a bracket. `<` and `>` may also be operators, which end
  /// with the brackets around them. Returns false if brackets are nested too
  /// deep.
  bool readBracket(char c) {
    const size_t kind = llvm::StringRef("([{<").find(c);
    if (kind != llvm::StringRef::npos) {
      closers_ += ")]}>"[kind];
      return closers_.size() <= kMostNested;
    }
    if (!llvm::StringRef(")]}>").contains(c))
      return true;
    if (c != '>')
      closers_.resize(llvm::StringRef(closers_).rtrim('>').size());
    if (!closers_.empty() && closers_.back() == c)
      closers_.pop_back();
    return true;
  }

  llvm::StringRef text_;
  llvm::StringRef fileName_;
  size_t at_ = 0;
  llvm::StringRef name_; ///< The last token, if it was a name.
  std::string closers_;  ///< The closing brackets that are expected.
};

} // namespace

llvm::Error blink::checkIrText(llvm::StringRef text, llvm::StringRef fileName) {
  if (text.starts_with("ML\xefR"))
    return errorAt(fileName, {},
                   "MLIR's bytecode; expected text, as mlir-opt writes "
                   "without --emit-bytecode");
  // The parser would print the bytes of such files, or explain why they are not
  // MLIR.
  if (text.contains('\0'))
    return errorAt(fileName, {},
                   "a binary file that is not a schedule; expected a topology, "
                   "IR or a schedule");
  if (text.ltrim().starts_with("<"))
    return errorAt(fileName, {},
                   "an XML file; blinkc import converts those of NCCL and "
                   "hwloc to a topology");
  return Scanner(text, fileName).scan();
}
