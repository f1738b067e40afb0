//===- BundlePieces.h - other pieces in a bundle ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A piece may be corrected after the bundle was compiled; the rest is not made
// anew, but kept.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_BUNDLEPIECES_H
#define BLINK_SCHEDULES_BUNDLEPIECES_H

#include "schedules/BundleFile.h"

namespace blink::sched {

/// Takes the place of the `collective`-th piece of class number `classNumber`.
struct NewPiece {
  uint32_t classNumber;
  uint32_t collective;
  std::vector<uint8_t> bytes; ///< of a .sched
};

/// The bytes of the bundle `bundle`, which openBundle has accepted, with other
/// pieces, each for one that is not empty and none twice. Pieces behind them
/// move. But for that, for the places of pieces in the index, its checksum and
/// the size of the file, all is as it was, byte by byte. openBundle and
/// openPiece judge the result.
std::vector<uint8_t> replacePieces(const std::vector<uint8_t> &bundle,
                                   const std::vector<NewPiece> &pieces);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_BUNDLEPIECES_H
