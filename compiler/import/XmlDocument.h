//===- XmlDocument.h - XML whose elements have places -----------*- C++ -*-===//
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

/// A parsed file. pugixml reads it: a DOCTYPE is skipped and entities of its
/// own are not expanded, so that a file costs no more than its length.
class XmlDocument {
public:
  /// Errors, with a place: no XML, a half of one, elements nested beyond
  /// kMostNested.
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
