//===- MscclppBlocks.h - a schedule's folds as thread blocks ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_EXPORT_MSCCLPPBLOCKS_H
#define BLINK_COMPILER_EXPORT_MSCCLPPBLOCKS_H

#include "compiler/export/EqualChunks.h"
#include "compiler/export/MscclppBlock.h"

#include "schedules/schedule_generated.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace blink {

/// What a rank of an MSCCL++ plan runs.
struct MscclppRank {
  RemoteBuffers buffers;
  std::vector<int> peers; ///< the other end of each of its channels
  std::vector<MscclppBlock> blocks;
  unsigned scratchChunks = 0;
};

struct MscclppBlocks {
  std::vector<MscclppRank> ranks;
  unsigned mostIterationsOf = 0; ///< chunks of the longest pipeline
};

/// Returns how many thread blocks should share the work of each tree, so that
/// none has to move more than it can. Trees have shares of their block by
/// `numerators`.
std::vector<unsigned> blocksWanted(const sched::Program &program,
                                   const sched::Variant &variant,
                                   llvm::ArrayRef<uint32_t> numerators);

/// Turns every fold of a tree that has chunks into one thread block, or into as
/// many as `wanted` says for its tree. Errors: folds that thread blocks cannot
/// hold, or whose order only a lane guarantees.
llvm::Expected<MscclppBlocks> mscclppBlocksOf(const sched::Variant &variant,
                                              const EqualChunks &chunks,
                                              llvm::ArrayRef<unsigned> wanted);

} // namespace blink

#endif // BLINK_COMPILER_EXPORT_MSCCLPPBLOCKS_H
