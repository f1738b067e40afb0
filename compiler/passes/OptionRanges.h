//===- OptionRanges.h - ranges of the options of passes ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_OPTIONRANGES_H
#define BLINK_COMPILER_PASSES_OPTIONRANGES_H

#include "mlir/IR/Operation.h"

namespace blink {

/// The most that the options of blinkc compile allow.
inline constexpr unsigned kLanesLimit = 1024;
inline constexpr unsigned kTreesLimit = 1 << 20;
inline constexpr unsigned kChunkBytesLimit = 64 << 20;
inline constexpr unsigned kRanksLimit = 65535;

/// Checks an option of a pass on `module`. Error: it is not from `least` to
/// `most`.
inline mlir::LogicalResult checkOption(mlir::Operation *module,
                                       llvm::StringRef name, unsigned value,
                                       unsigned least, unsigned most) {
  if (value >= least && value <= most)
    return mlir::success();
  return module->emitError()
         << name << " is " << value << ", expected " << least << " to " << most;
}

/// Checks the part of the rate that selection may give up. Error: it is not in
/// [0, 1).
inline mlir::LogicalResult checkSlack(mlir::Operation *module, double slack) {
  if (slack >= 0 && slack < 1)
    return mlir::success();
  return module->emitError("slack must be at least 0 and below 1");
}

} // namespace blink

#endif // BLINK_COMPILER_PASSES_OPTIONRANGES_H
