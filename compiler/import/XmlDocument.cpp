//===- XmlDocument.cpp - XML with the places of its elements --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/XmlDocument.h"

#include "compiler/support/Error.h"

#include <algorithm>

using namespace blink;

/// Returns the first element that is nested deeper than `most`; empty if there
/// is none. Needs no stack, as pugixml's nodes know their parents.
static pugi::xml_node tooDeep(pugi::xml_node node, int most) {
  int depth = 0;
  const pugi::xml_node top = node;
  while (node) {
    if (depth > most)
      return node;
    if (node.first_child()) {
      node = node.first_child();
      ++depth;
      continue;
    }
    while (node != top && !node.next_sibling()) {
      node = node.parent();
      --depth;
    }
    node = node == top ? pugi::xml_node() : node.next_sibling();
  }
  return {};
}

llvm::Expected<std::unique_ptr<XmlDocument>>
XmlDocument::parse(llvm::StringRef text, llvm::StringRef fileName) {
  auto result = std::make_unique<XmlDocument>();
  result->fileName_ = fileName.str();
  result->lineStarts_.push_back(0);
  for (size_t at = 0; at < text.size(); ++at)
    if (text[at] == '\n')
      result->lineStarts_.push_back(at + 1);

  pugi::xml_parse_result parsed =
      result->document_.load_buffer(text.data(), text.size());
  if (!parsed)
    return errorAt(fileName, result->place(parsed.offset),
                   llvm::Twine("not well-formed XML: ") + parsed.description() +
                       "; is the file whole?");
  if (pugi::xml_node deep = tooDeep(result->root(), kMostNested))
    return result->error(deep, "nested deeper than " +
                                   llvm::Twine(kMostNested) + " elements");
  return result;
}

JsonPlace XmlDocument::place(ptrdiff_t offset) const {
  size_t at = offset < 0 ? 0 : static_cast<size_t>(offset);
  auto line = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), at) - 1;
  return {static_cast<int>(line - lineStarts_.begin()) + 1,
          static_cast<int>(at - *line) + 1};
}

std::string XmlDocument::where(const pugi::xml_node &node) const {
  // pugixml's offset is that of the name, one past the `<`.
  JsonPlace at = place(node.offset_debug() - 1);
  return fileName_ + ":" + std::to_string(at.line) + ":" +
         std::to_string(at.column);
}

llvm::Error XmlDocument::error(const pugi::xml_node &node,
                               const llvm::Twine &message) const {
  return makeError(where(node) + ": error: " + message);
}
