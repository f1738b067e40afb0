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

/// The data as JSON in one line, for the scripts of render/page/ (data.js says
/// how it is laid out). In HTML it ends no element: no `<` is in it.
std::string toPageJson(const PageData &page);

/// One page that needs nothing beside it and fetches nothing: its policy allows
/// the scripts and styles that are in it and no others.
std::string toHtml(const PageData &page);

/// The files of render/page/, embedded by EmbedPage.cmake: the frame with
/// places marked "{{NAME}}", all styles, all scripts.
struct PageAssets {
  llvm::StringRef frame, styles, scripts;
};
PageAssets pageAssets();

} // namespace blink

#endif // BLINK_COMPILER_RENDER_PAGEREPORT_H
