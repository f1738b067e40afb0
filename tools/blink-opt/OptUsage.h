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

/// Reads blink-opt's options from LLVM's table: those of MLIR that --help
/// shows, which this function registers, and the passes that are already
/// registered. Leaves out the options of LLVM's targets, which are only present
/// because of LLVM's library.
manual::Command readOptUsage(mlir::DialectRegistry &dialects);

} // namespace blink

#endif // BLINK_TOOLS_BLINKOPT_OPTUSAGE_H
