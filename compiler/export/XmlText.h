//===- XmlText.h - XML documents as text ------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_EXPORT_XMLTEXT_H
#define BLINK_COMPILER_EXPORT_XMLTEXT_H

#include <pugixml.hpp>

#include <string>

namespace blink {

/// Returns the document, indented, without an XML declaration: NCCL's reader
/// does not know any.
std::string xmlText(const pugi::xml_document &document);

/// Appends attribute `name`.
template <typename Value>
void setAttribute(pugi::xml_node element, const char *name, Value value) {
  element.append_attribute(name).set_value(value);
}
inline void setAttribute(pugi::xml_node element, const char *name,
                         const std::string &value) {
  element.append_attribute(name).set_value(value.c_str());
}

} // namespace blink

#endif // BLINK_COMPILER_EXPORT_XMLTEXT_H
