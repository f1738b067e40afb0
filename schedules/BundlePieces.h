//===- BundlePieces.h - replacing pieces of a bundle ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A piece may be corrected after its bundle was compiled. The rest of the
// bundle is kept, not compiled anew.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_BUNDLEPIECES_H
#define BLINK_SCHEDULES_BUNDLEPIECES_H

#include "schedules/BundleFile.h"

namespace blink::sched {

/// Replaces the `collective`-th piece of class number `classNumber`.
struct NewPiece {
  uint32_t classNumber;
  uint32_t collective;
  std::vector<uint8_t> bytes; ///< of a .sched
};

/// Returns the bytes of `bundle`, which openBundle has accepted, with some
/// pieces replaced. Each replaces a piece that is not empty, and none is
/// replaced twice. Pieces behind a replaced one move. Except for that, for the
/// offsets and sizes of pieces in the index, its checksum and the size of the
/// file, every byte stays the same. Use openBundle and openPiece to check the
/// result.
std::vector<uint8_t> replacePieces(const std::vector<uint8_t> &bundle,
                                   const std::vector<NewPiece> &pieces);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_BUNDLEPIECES_H
