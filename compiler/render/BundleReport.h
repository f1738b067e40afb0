//===- BundleReport.h - reports on a bundle ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_RENDER_BUNDLEREPORT_H
#define BLINK_COMPILER_RENDER_BUNDLEREPORT_H

#include "compiler/report/BundleContents.h"
#include "compiler/topology/DegradeLinks.h"
#include "compiler/verify/BundleProof.h"

namespace blink {

/// A bundle and its proof, which may have failed: what `blinkc verify` reports.
struct ProvedBundle {
  BundleContents contents;
  BundleProof proof;
};
std::string toText(const ProvedBundle &bundle);
std::string toJson(const ProvedBundle &bundle);

/// A compiled and proved bundle: what `blinkc compile` reports.
struct CompiledBundle : ProvedBundle {
  std::vector<LinkEdit> edits;
  size_t fileBytes = 0;
  std::string output; ///< path; empty: not written
  double seconds = 0;
};
std::string toText(const CompiledBundle &bundle);
std::string toJson(const CompiledBundle &bundle);

} // namespace blink

#endif // BLINK_COMPILER_RENDER_BUNDLEREPORT_H
