//===- Processors.h - sets of processors as Linux writes them ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_IMPORT_PROCESSORS_H
#define BLINK_COMPILER_IMPORT_PROCESSORS_H

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace blink {

/// Returns the processors of a `cpulist`: "0-3,8-11". Empty if the text is no
/// such list or has processors beyond 65,535.
std::vector<int> parseCpuList(llvm::StringRef text);

/// Returns the processors of a mask as in a `cpumap` ("00000000,0000000f") or
/// in hwloc's notation ("0x0000000f,,0x1"): words of 32 bits, of which the last
/// one has processor 0 and empty ones stand for 0. Empty as above.
std::vector<int> parseCpuMask(llvm::StringRef text);

} // namespace blink

#endif // BLINK_COMPILER_IMPORT_PROCESSORS_H
