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

/// Returns the fold program of `variant`, a variant of `program` in `file`. Of
/// a variant in symmetric form, it has the representatives' ranks alone, one
/// after the other, and no symmetry. Takes time linear in the size of the
/// variant.
FoldProgram readProgram(const sched::Schedule &file,
                        const sched::Program &program,
                        const sched::Variant &variant);

/// Returns the fold program of `variant`, in symmetric form
/// (FoldProgram::symmetry) if the variant is. Errors: renamings that
/// Symmetry::create refuses.
llvm::Expected<FoldProgram> readProgramAsItIs(const sched::Schedule &file,
                                              const sched::Program &program,
                                              const sched::Variant &variant);

/// Writes `program`, which has lanes, as the variant for sizes from `minBytes`
/// to below `maxBytes`. `times` are those of timePoints (TimePoints.h); if
/// empty, the variant has no estimate.
flatbuffers::Offset<sched::Variant>
writeVariant(flatbuffers::FlatBufferBuilder &builder,
             const FoldProgram &program, uint64_t minBytes, uint64_t maxBytes,
             sched::Protocol protocol, sched::ChunkSizes chunks,
             llvm::ArrayRef<sched::TimePoint> times);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_FOLDPROGRAMFILE_H
