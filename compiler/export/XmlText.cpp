//===- XmlText.cpp - XML documents as text --------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/export/XmlText.h"

using namespace blink;

namespace {
struct StringWriter : pugi::xml_writer {
  std::string text;
  void write(const void *data, size_t size) override {
    text.append(static_cast<const char *>(data), size);
  }
};
} // namespace

std::string blink::xmlText(const pugi::xml_document &document) {
  StringWriter writer;
  document.save(writer, "  ", pugi::format_indent | pugi::format_no_declaration,
                pugi::encoding_utf8);
  return std::move(writer.text);
}
