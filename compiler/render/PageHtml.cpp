//===- PageHtml.cpp - the page of blinkc report, put together -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/PageReport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/SHA256.h"

#include <map>

using namespace blink;

/// "'sha256-...'": how a Content-Security-Policy refers to an element with
/// exactly this text.
static std::string policyHash(llvm::StringRef text) {
  const auto hash = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return "'sha256-" +
         llvm::encodeBase64(llvm::StringRef(
             reinterpret_cast<const char *>(hash.data()), hash.size())) +
         "'";
}

static std::string escape(llvm::StringRef text) {
  std::string safe;
  for (char c : text)
    switch (c) {
    case '&':
      safe += "&amp;";
      break;
    case '<':
      safe += "&lt;";
      break;
    case '>':
      safe += "&gt;";
      break;
    case '"':
      safe += "&quot;";
      break;
    default:
      safe += c;
    }
  return safe;
}

std::string blink::toHtml(const PageData &page) {
  const PageAssets assets = pageAssets();
  const std::map<std::string, std::string> parts = {
      {"TITLE", escape(page.title)},
      {"STYLE_HASH", policyHash(assets.styles)},
      {"SCRIPT_HASH", policyHash(assets.scripts)},
      {"STYLES", assets.styles.str()},
      {"SCRIPTS", assets.scripts.str()},
      {"DATA", toPageJson(page)}};
  // Searches the rest of the frame only: inserted text may contain marks too,
  // and those are not placeholders.
  std::string html;
  llvm::StringRef rest = assets.frame;
  for (;;) {
    const auto [before, after] = rest.split("{{");
    html += before;
    if (after.empty())
      return html;
    const auto [name, next] = after.split("}}");
    html += parts.at(name.str());
    rest = next;
  }
}
