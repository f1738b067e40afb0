//===- LocatedJson.cpp - JSON values with their places --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// nlohmann's SAX parser reports what it has read, but not where. A Cursor
// follows the parser over the same text. The cursor is simple because the text
// that the parser has accepted is valid JSON.
//
//===----------------------------------------------------------------------===//

#include "compiler/support/LocatedJson.h"

#include "compiler/support/Error.h"
#include "compiler/support/ReadBytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

using namespace blink;

static constexpr size_t kMaxDepth = 64;

namespace {

/// Walks over the tokens of a text and counts lines.
class Cursor {
public:
  explicit Cursor(llvm::StringRef text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) // the parser skips it, too
      offset_ = lineStart_ = 3;
  }

  /// Moves over the next token, and over white space and comments before it.
  /// Commas and colons are tokens. Sets place() and token().
  void next() {
    skipBlanks();
    start_ = offset_;
    place_ = {line_, static_cast<int>(offset_ - lineStart_) + 1};
    if (offset_ >= text_.size())
      return;
    char first = text_[offset_];
    size_t end = offset_ + 1;
    if (first == '"') {
      while (end < text_.size() && text_[end] != '"' && text_[end] != '\n')
        end += text_[end] == '\\' ? 2 : 1;
      ++end;
    } else if (isWordCharacter(first)) {
      while (end < text_.size() && isWordCharacter(text_[end]))
        ++end;
    }
    offset_ = std::min(end, text_.size());
  }

  /// Moves over the next token that is neither a comma nor a colon.
  void nextValue() {
    do
      next();
    while (isSeparator());
  }

  size_t end() const { return offset_; }
  bool isSeparator() const { return token() == "," || token() == ":"; }
  bool atEnd() const { return start_ >= text_.size(); }
  JsonPlace place() const { return place_; }
  llvm::StringRef token() const { return text_.slice(start_, offset_); }

private:
  static bool isWordCharacter(char c) {
    return llvm::isAlnum(c) || c == '+' || c == '-' || c == '.';
  }

  void skipBlanks() {
    while (offset_ < text_.size()) {
      llvm::StringRef rest = text_.drop_front(offset_);
      if (rest.starts_with("//"))
        skipTo(text_.find_first_of("\r\n", offset_)); // as the parser does
      else if (rest.starts_with("/*"))
        skipTo(text_.find("*/", offset_ + 2), 2);
      else if (llvm::isSpace(rest.front()))
        skipTo(offset_, 1);
      else
        return;
    }
  }

  void skipTo(size_t end, size_t more = 0) {
    end = end == llvm::StringRef::npos ? text_.size() : end + more;
    for (; offset_ < end; ++offset_)
      if (text_[offset_] == '\n') {
        ++line_;
        lineStart_ = offset_ + 1;
      }
  }

  llvm::StringRef text_;
  size_t offset_ = 0;
  size_t start_ = 0;
  size_t lineStart_ = 0;
  int line_ = 1;
  JsonPlace place_;
};

/// Builds the tree from nlohmann's events.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit TreeBuilder(llvm::StringRef text) : cursor_(text) {}

  bool null() override {
    add(JsonValue::Kind::null);
    return true;
  }
  bool boolean(bool value) override {
    add(JsonValue::Kind::boolean)->boolean = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t &) override {
    return number(value);
  }
  bool string(string_t &value) override {
    add(JsonValue::Kind::string)->text = std::move(value);
    return true;
  }
  bool binary(binary_t &) override { return false; } // not in JSON text

  bool start_object(size_t) override { return open(JsonValue::Kind::object); }
  bool start_array(size_t) override { return open(JsonValue::Kind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t &value) override {
    cursor_.nextValue();
    open_.back()->members.push_back({std::move(value), cursor_.place(), {}});
    return true;
  }

  bool parse_error(size_t position, const std::string &lastToken,
                   const nlohmann::detail::exception &exception) override {
    // The cursor is behind the last value or key. Only commas and colons can be
    // between it and the offending token.
    while (cursor_.end() < position && !cursor_.atEnd()) {
      cursor_.next();
      if (!cursor_.isSeparator())
        break;
    }
    errorPlace_ = cursor_.place();
    if (exception.id == 406) {
      errorMessage_ = "number beyond the range of a double";
      return false;
    }
    // The parser quotes the last token, which may be long or unprintable.
    errorMessage_ = exception.what();
    std::string quote = "; last read: '" + lastToken + "'";
    if (size_t at = errorMessage_.find(quote); at != std::string::npos)
      errorMessage_.erase(at, quote.size());
    if (size_t at = errorMessage_.find("syntax error"); at != std::string::npos)
      errorMessage_.erase(0, at);
    return false;
  }

  JsonValue root;
  JsonPlace errorPlace() const { return errorPlace_; }
  llvm::StringRef errorMessage() const { return errorMessage_; }

private:
  JsonValue *add(JsonValue::Kind kind) {
    JsonValue *value = &root;
    if (!open_.empty()) {
      JsonValue &parent = *open_.back();
      value = parent.kind == JsonValue::Kind::array
                  ? &parent.items.emplace_back()
                  : &parent.members.back().value;
    }
    cursor_.nextValue();
    value->kind = kind;
    value->place = cursor_.place();
    if (kind != JsonValue::Kind::string)
      value->text = cursor_.token().str();
    return value;
  }

  bool number(double number) {
    add(JsonValue::Kind::number)->number = number;
    return true;
  }

  // Pointers to open values stay valid: a value only moves when a sibling is
  // added after it, and by then it is closed.
  bool open(JsonValue::Kind kind) {
    open_.push_back(add(kind));
    if (open_.size() <= kMaxDepth)
      return true;
    errorPlace_ = cursor_.place();
    errorMessage_ =
        "nested deeper than " + std::to_string(kMaxDepth) + " levels";
    return false;
  }

  bool close() {
    cursor_.nextValue();
    open_.pop_back();
    return true;
  }

  Cursor cursor_;
  std::vector<JsonValue *> open_;
  JsonPlace errorPlace_;
  std::string errorMessage_;
};

} // namespace

llvm::StringRef blink::describe(JsonValue::Kind kind) {
  static constexpr llvm::StringLiteral kWords[] = {
      "null", "true or false", "a number", "a string", "an array", "an object"};
  return kWords[static_cast<size_t>(kind)];
}

const JsonValue *JsonValue::find(llvm::StringRef key) const {
  auto member = llvm::find_if(
      members, [&](const JsonMember &member) { return member.key == key; });
  return member == members.end() ? nullptr : &member->value;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
blink::readTextFile(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = readBytes(path);
  if (!buffer)
    return makeError(path +
                     ": error: cannot read: " + buffer.getError().message());
  return std::move(*buffer);
}

llvm::Error blink::errorAt(llvm::StringRef fileName, JsonPlace place,
                           const llvm::Twine &message) {
  return makeError(fileName + ":" + llvm::Twine(place.line) + ":" +
                   llvm::Twine(place.column) + ": error: " + message);
}

llvm::Expected<JsonValue> blink::parseLocatedJson(llvm::StringRef text,
                                                  llvm::StringRef fileName) {
  // The parser takes a NUL byte for the end of the text and would ignore
  // everything after it.
  if (size_t nul = text.find('\0'); nul != llvm::StringRef::npos) {
    llvm::StringRef before = text.take_front(nul);
    int line = static_cast<int>(before.count('\n')) + 1;
    size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
    return errorAt(fileName, {line, static_cast<int>(nul - lineStart) + 1},
                   "NUL byte; expected a text file");
  }
  TreeBuilder builder(text);
  bool ok = nlohmann::json::sax_parse(text.begin(), text.end(), &builder,
                                      nlohmann::detail::input_format_t::json,
                                      /*strict=*/true,
                                      /*ignore_comments=*/true);
  if (!ok)
    return errorAt(fileName, builder.errorPlace(), builder.errorMessage());
  return std::move(builder.root);
}
