//===- PageReport.h - the page of blinkc report -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_RENDER_PAGEREPORT_H
#define BLINK_COMPILER_RENDER_PAGEREPORT_H

#include "compiler/report/page/PageData.h"

#include "llvm/ADT/StringRef.h"

namespace blink {

/// Returns the data as JSON on one line, for the scripts of render/page/
/// (data.js describes the layout). The JSON contains no `<`, so it cannot end
/// the HTML element that holds it.
std::string toPageJson(const PageData &page);

/// Returns a self-contained page that loads nothing: its
/// Content-Security-Policy allows its own scripts and styles only.
std::string toHtml(const PageData &page);

/// The files of render/page/, which EmbedPage.cmake embeds: the frame with
/// placeholders "{{NAME}}", all styles, all scripts.
struct PageAssets {
  llvm::StringRef frame, styles, scripts;
};
PageAssets pageAssets();

} // namespace blink

#endif // BLINK_COMPILER_RENDER_PAGEREPORT_H
