//===- LocatedJson.h - JSON values with their places ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A small JSON tree in which every value and key has its line and column, so
// that a reader can point at errors in the meaning of a file, too, and not only
// in its syntax. nlohmann/json does the parsing; its own tree has no places.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SUPPORT_LOCATEDJSON_H
#define BLINK_COMPILER_SUPPORT_LOCATEDJSON_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <string>
#include <vector>

namespace blink {

/// A place in a text. Both numbers count from 1; columns count bytes.
struct JsonPlace {
  int line = 1;
  int column = 1;
};

struct JsonMember;

struct JsonValue {
  enum class Kind { null, boolean, number, string, array, object };

  Kind kind = Kind::null;
  bool boolean = false;
  double number = 0;
  JsonPlace place;
  std::string text; ///< A string's content; the token of any other scalar.
  std::vector<JsonValue> items; ///< The items of an array.
  /// The members of an object, in file order, duplicates included.
  std::vector<JsonMember> members;

  /// Returns the value of an object's first member with this key, or null.
  const JsonValue *find(llvm::StringRef key) const;
};

struct JsonMember {
  std::string key;
  JsonPlace place; ///< The place of the key.
  JsonValue value;
};

/// Returns "a string", "an object", ... for messages.
llvm::StringRef describe(JsonValue::Kind kind);

/// Returns the text of a file, or of standard input for "-".
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readTextFile(llvm::StringRef path);

/// Returns the error `fileName:line:column: error: message`.
llvm::Error errorAt(llvm::StringRef fileName, JsonPlace place,
                    const llvm::Twine &message);

/// Parses JSON with // and /**/ comments. Errors, with their place: wrong
/// syntax, invalid UTF-8, numbers beyond a double, nesting beyond 64 levels, a
/// NUL byte. Takes linear time.
llvm::Expected<JsonValue> parseLocatedJson(llvm::StringRef text,
                                           llvm::StringRef fileName);

} // namespace blink

#endif // BLINK_COMPILER_SUPPORT_LOCATEDJSON_H
