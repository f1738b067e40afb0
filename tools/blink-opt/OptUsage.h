//===- OptUsage.h - how blink-opt is called ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKOPT_OPTUSAGE_H
#define BLINK_TOOLS_BLINKOPT_OPTUSAGE_H

#include "tools/manual/Usage.h"

#include "mlir/IR/DialectRegistry.h"

namespace blink {

/// blink-opt's options, from LLVM's table of them: MLIR's that --help shows,
/// which it registers, and the passes that are registered already. Those of
/// LLVM's targets, which are there because its library is, are left out.
manual::Command readOptUsage(mlir::DialectRegistry &dialects);

} // namespace blink

#endif // BLINK_TOOLS_BLINKOPT_OPTUSAGE_H
