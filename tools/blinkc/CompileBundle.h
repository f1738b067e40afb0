//===- CompileBundle.h - blinkc compile --allocations -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKC_COMPILEBUNDLE_H
#define BLINK_TOOLS_BLINKC_COMPILEBUNDLE_H

#include "compiler/driver/InputFile.h"
#include "compiler/driver/Pipeline.h"
#include "tools/blinkc/Stopwatch.h"

#include <optional>

namespace blink {

/// The arguments of `blinkc compile --allocations`.
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

} // namespace blink

#endif // BLINK_TOOLS_BLINKC_COMPILEBUNDLE_H
