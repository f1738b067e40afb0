//===- Bundles.h - bundles on the command line ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKC_BUNDLES_H
#define BLINK_TOOLS_BLINKC_BUNDLES_H

#include "compiler/driver/InputFile.h"
#include "compiler/driver/Pipeline.h"
#include "compiler/driver/ProveBundle.h"
#include "tools/blinkc/Stopwatch.h"

#include "nlohmann/json.hpp"

#include <optional>

namespace blink {

/// What `blinkc compile --allocations` was asked for.
struct BundleCall {
  const InputFile &input;
  std::string output;
  CompileOptions options;
  std::string allocations;
  std::string collectives;
  std::optional<std::string> survive;
  unsigned jobs;
  bool json;
};

/// Compiles, proves, writes and reports a bundle. Returns an exit code.
int compileBundleFile(const BundleCall &call, const Stopwatch &watch);

/// Proves a bundle and reports what was found. Returns an exit code.
int verifyBundleFile(const InputFile &file, unsigned jobs, bool json);

/// What both report of a bundle, after the first line.
void printBundle(const sched::BundleView &bundle, const BundleProof &proof);
nlohmann::ordered_json jsonBundle(const sched::BundleView &bundle,
                                  const BundleProof &proof);
/// "bundle for dgx1, 247 allocations in 68 classes", and with survivors a line
/// about them.
std::string bundleTitle(const sched::BundleView &bundle);

} // namespace blink

#endif // BLINK_TOOLS_BLINKC_BUNDLES_H
