//===- LocatedJson.h - JSON that remembers its places -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A small JSON tree in which every value and key knows its line and column, so
// that a reader can point at what is wrong with the meaning of a file and not
// only with its syntax. nlohmann/json parses; its own tree has no places.
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

/// Both count from 1; columns count bytes.
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
  std::string text; ///< a string's content; the token of any other scalar
  std::vector<JsonValue> items;    ///< of an array
  std::vector<JsonMember> members; ///< of an object, in file order, duplicates
                                   ///< included

  /// The value of an object's first member of this key; null if it has none.
  const JsonValue *find(llvm::StringRef key) const;
};

struct JsonMember {
  std::string key;
  JsonPlace place; ///< of the key
  JsonValue value;
};

/// "a string", "an object", ... for messages.
llvm::StringRef describe(JsonValue::Kind kind);

/// The text of a file; of standard input for "-".
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readTextFile(llvm::StringRef path);

/// `fileName:line:column: error: message`
llvm::Error errorAt(llvm::StringRef fileName, JsonPlace place,
                    const llvm::Twine &message);

/// Parses JSON with // and /**/ comments. Errors, with their place: wrong
/// syntax, invalid UTF-8, numbers beyond a double, nesting beyond 64 levels, a
/// NUL byte. Linear time.
llvm::Expected<JsonValue> parseLocatedJson(llvm::StringRef text,
                                           llvm::StringRef fileName);

} // namespace blink

#endif // BLINK_COMPILER_SUPPORT_LOCATEDJSON_H
