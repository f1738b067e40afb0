//===- KnownAttrs.h - attributes of the dialect -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Optional properties of a job, as discardable attributes of the dialect. The
// verifier refuses any other attribute of the dialect, and values that the
// passes could not read.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_DIALECT_KNOWNATTRS_H
#define BLINK_DIALECT_KNOWNATTRS_H

#include "llvm/ADT/StringRef.h"

namespace blink::collective {

/// Of requests and forests: the most ranks of other servers to which a rank has
/// channels, an i32.
inline constexpr llvm::StringLiteral kMaxPeersAttr = "collective.max_peers";

/// Of requests and forests, a unit: trees have three phases.
inline constexpr llvm::StringLiteral kPhasesAttr = "collective.phases";

/// Of requests and forests, a unit: trees may use switches that reduce or
/// multicast.
inline constexpr llvm::StringLiteral kInSwitchAttr = "collective.in_switch";

/// Of requests: the order of sums, "invariant" or "rank".
inline constexpr llvm::StringLiteral kOrderAttr = "collective.order";

/// Of requests: the type in which partial sums travel, "f32".
inline constexpr llvm::StringLiteral kAccumulateAttr = "collective.accumulate";

/// Of selected forests: the number of equal parts into which each tree is best
/// split within the limits it was selected for, an array of i32. The forest was
/// selected by its times in these parts.
inline constexpr llvm::StringLiteral kPartsAttr = "collective.parts";
/// The most parts of a tree.
inline constexpr int32_t kMostParts = 1024;

/// Of selected forests, a unit: it is not for large messages, but the next
/// forest may use its trees for medium ones.
inline constexpr llvm::StringLiteral kMediumAttr = "collective.medium";

/// Of forests: the order of trees in lanes that is the fastest one (TreeOrder.h
/// in compiler/plan), "given", "copies" or "roots".
inline constexpr llvm::StringLiteral kTreeOrderAttr = "collective.tree_order";

/// Of forests with a tree_order, a unit: some lanes may have folds of both
/// directions (AssignLanes.h in compiler/plan).
inline constexpr llvm::StringLiteral kMixedLanesAttr = "collective.mixed_lanes";

/// Of modules: what the compiler was asked for, an array of "name=value".
inline constexpr llvm::StringLiteral kOptionsAttr = "collective.options";

} // namespace blink::collective

#endif // BLINK_DIALECT_KNOWNATTRS_H
