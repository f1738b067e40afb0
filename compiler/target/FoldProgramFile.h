//===- FoldProgramFile.h - fold programs of .sched files --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_FOLDPROGRAMFILE_H
#define BLINK_COMPILER_TARGET_FOLDPROGRAMFILE_H

#include "compiler/plan/FoldProgram.h"
#include "schedules/ChunkSize.h"

namespace blink {

/// What the ranks of `variant` do, which is of `program` in `file`. Linear in
/// the variant.
FoldProgram readProgram(const sched::Schedule &file,
                        const sched::Program &program,
                        const sched::Variant &variant);

/// `program`, which is in lanes, as the variant for sizes from `minBytes` to
/// below `maxBytes`, with `times` as of timePoints; without any it has no
/// estimate.
flatbuffers::Offset<sched::Variant>
writeVariant(flatbuffers::FlatBufferBuilder &builder,
             const FoldProgram &program, uint64_t minBytes, uint64_t maxBytes,
             sched::Protocol protocol, sched::ChunkSizes chunks,
             llvm::ArrayRef<sched::TimePoint> times);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_FOLDPROGRAMFILE_H
