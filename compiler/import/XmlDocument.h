//===- XmlDocument.h - XML with the places of its elements ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_IMPORT_XMLDOCUMENT_H
#define BLINK_COMPILER_IMPORT_XMLDOCUMENT_H

#include "compiler/support/LocatedJson.h"

#include <pugixml.hpp>

#include <memory>

namespace blink {

/// A parsed file. pugixml skips a DOCTYPE and does not expand entities that a
/// file defines, so the cost of a file is bounded by its length.
class XmlDocument {
public:
  /// Errors, with a place: text that is no XML or is truncated, elements nested
  /// deeper than kMostNested.
  static llvm::Expected<std::unique_ptr<XmlDocument>>
  parse(llvm::StringRef text, llvm::StringRef fileName);

  pugi::xml_node root() const { return document_.document_element(); }
  llvm::StringRef fileName() const { return fileName_; }

  /// "dump.xml:12:5"
  std::string where(const pugi::xml_node &node) const;
  /// "dump.xml:12:5: error: ..."
  llvm::Error error(const pugi::xml_node &node,
                    const llvm::Twine &message) const;

  static constexpr int kMostNested = 200;

private:
  JsonPlace place(ptrdiff_t offset) const;

  std::string fileName_;
  std::vector<size_t> lineStarts_;
  pugi::xml_document document_;
};

} // namespace blink

#endif // BLINK_COMPILER_IMPORT_XMLDOCUMENT_H
