//===- MscclppBlocks.cpp - a schedule's folds as thread blocks ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A fold waits for its channels, works on a unit and signals. A pipeline of
// MSCCL++ repeats this for each unit.
//
//===----------------------------------------------------------------------===//

#include "compiler/export/MscclppBlocks.h"
#include "compiler/export/MscclppLayout.h"

#include "compiler/support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cmath>

using namespace blink;

/// GB/s that a thread block is assumed to move, as in NcclGraph.cpp.
static constexpr double kBlockRate = 25;

namespace {
class BlockBuilder {
public:
  BlockBuilder(const sched::Variant &variant, const MscclppJobs &jobs,
               const MscclppLayout &layout)
      : variant_(variant), jobs_(jobs), layout_(layout) {}

  llvm::Expected<MscclppBlocks> run();

private:
  using Assigned = std::vector<std::pair<MscclppJob, size_t>>;
  Assigned assign(uint32_t rank) const;
  size_t widestOf(const Assigned &assigned) const;
  void addPrologue(const Assigned &assigned, size_t number,
                   MscclppBlock &block) const;
  void addBody(const MscclppJob &job, MscclppBlock &block);
  llvm::Error addRank(uint32_t rank);

  const sched::Variant &variant_;
  const MscclppJobs &jobs_;
  const MscclppLayout &layout_;
  MscclppBlocks result_;
};
} // namespace

std::vector<unsigned> blink::blocksWanted(const sched::Program &program,
                                          const sched::Variant &variant,
                                          llvm::ArrayRef<uint32_t> numerators) {
  uint32_t numBlocks = 0;
  for (const sched::Tree *tree : *variant.trees())
    numBlocks = std::max(numBlocks, tree->block() + 1);
  // By tree: the channels of its busiest fold in one direction.
  std::vector<unsigned> fans(variant.trees()->size(), 1);
  for (const sched::RankProgram *rank : *variant.ranks())
    for (const sched::Step *step : *rank->steps()) {
      unsigned in = 0, out = 0;
      for (unsigned i = 0; i < step->sources() + step->destinations(); ++i)
        if (rank->operands()->Get(step->operands_begin() + i)->kind() ==
            sched::OperandKind::channel)
          ++(i < step->sources() ? in : out);
      fans[step->tree()] = std::max({fans[step->tree()], in, out});
    }
  std::vector<unsigned> wanted;
  for (uint32_t t = 0; t < fans.size(); ++t) {
    const sched::Tree &tree = *variant.trees()->Get(t);
    const double rate = program.algbw() * numerators[t] / tree.denominator() /
                        numBlocks * fans[t];
    // A power of two of parts cuts a power of two of chunks evenly.
    wanted.push_back(llvm::bit_ceil(std::clamp<unsigned>(
        std::ceil(rate / kBlockRate - 1e-9), 1, MscclppLayout::kMostBlocks)));
  }
  return wanted;
}

/// Returns the thread block of each part of each of the rank's folds.
BlockBuilder::Assigned BlockBuilder::assign(uint32_t rank) const {
  Assigned assigned;
  std::vector<size_t> channels; // by thread block
  auto add = [&](MscclppJob job, bool isAlone) {
    for (job.part = 0; job.part < layout_.parts(job.tree); ++job.part) {
      const size_t needed = layout_.channels(job, /*reads=*/true).size() +
                            layout_.channels(job, /*reads=*/false).size();
      auto block = llvm::min_element(channels);
      if (block == channels.end() ||
          (channels.size() < MscclppLayout::kMostBlocks &&
           (isAlone || *block + needed > MscclppBlock::kMostChannels)))
        block = channels.insert(channels.end(), 0);
      *block += needed;
      assigned.push_back({job, size_t(block - channels.begin())});
    }
  };
  for (const MscclppJob &job : jobs_.list())
    if (job.rank == rank && !layout_.onlyWaits(job))
      add(job, /*isAlone=*/true);
  // A fold that only waits delays no other rank, so it goes to the end of a
  // block that does more.
  for (const MscclppJob &job : jobs_.list())
    if (job.rank == rank && layout_.onlyWaits(job))
      add(job, /*isAlone=*/false);
  return assigned;
}

/// Signals to writers that this rank has begun, and waits for that signal from
/// readers.
void BlockBuilder::addPrologue(const Assigned &assigned, size_t number,
                               MscclppBlock &block) const {
  std::vector<int> begun, awaited;
  bool isSynced = false; // the first fold syncs before it writes
  for (const auto &[job, place] : assigned)
    if (place == number) {
      isSynced |= awaited.empty() && !layout_.channels(job, true).empty();
      const auto which = MscclppLayout::Which::announced;
      llvm::append_range(begun, layout_.channels(job, /*reads=*/true, which));
      llvm::append_range(awaited,
                         layout_.channels(job, /*reads=*/false, which));
    }
  // Signals before it waits, so that ranks do not wait for each other.
  block.signal(begun);
  block.wait(awaited);
  if (!awaited.empty() && !isSynced)
    block.sync();
}

void BlockBuilder::addBody(const MscclppJob &job, MscclppBlock &block) {
  std::vector<ChunkRange> sources, remote;
  std::vector<ChunkRange> output; // at most one
  for (const sched::Operand *operand : jobs_.sources(job))
    sources.push_back(layout_.rangeOf(job, *operand));
  for (const sched::Operand *operand : jobs_.destinations(job))
    (operand->kind() == sched::OperandKind::output ? output : remote)
        .push_back(layout_.rangeOf(job, *operand));
  const std::vector<int> in = layout_.channels(job, /*reads=*/true);
  const std::vector<int> out = layout_.channels(job, /*reads=*/false);
  const unsigned numChunks = sources[0].count;
  result_.mostIterationsOf = std::max(result_.mostIterationsOf, numChunks);

  block.beginPipeline(variant_.chunk_bytes(), numChunks);
  block.wait(in);
  if (!in.empty() && !layout_.onlyWaits(job))
    block.sync();
  if (sources.size() > 1) {
    // The sum needs a destination in memory: the first partial sum's.
    std::vector<ChunkRange> to = output;
    if (to.empty())
      to.push_back(*llvm::find_if(sources, [](const ChunkRange &range) {
        return range.buffer == 's';
      }));
    llvm::append_range(to, remote);
    block.reduce(sources, to);
  } else {
    block.put(sources[0], remote);
  }
  if (!out.empty())
    block.sync();
  block.signal(out);
  // Last, as in place it overwrites what was sent.
  if (sources.size() == 1 && !output.empty() && !(output[0] == sources[0]))
    block.copy(sources[0], output[0]);
  block.endPipeline();
}

/// Returns the most channels of one fold.
size_t BlockBuilder::widestOf(const Assigned &assigned) const {
  size_t most = 0;
  for (const auto &[job, number] : assigned)
    most = std::max(most, layout_.channels(job, /*reads=*/true).size() +
                              layout_.channels(job, /*reads=*/false).size());
  return most;
}

llvm::Error BlockBuilder::addRank(uint32_t rank) {
  MscclppRank &result = result_.ranks[rank];
  result.peers = layout_.peers(rank);
  result.scratchChunks = layout_.scratchChunks(rank);
  const Assigned assigned = assign(rank);
  size_t numBlocks = 0;
  for (const auto &[job, number] : assigned)
    numBlocks = std::max(numBlocks, number + 1);
  result.blocks.assign(numBlocks, MscclppBlock(result.buffers));
  for (size_t number = 0; number < numBlocks; ++number)
    addPrologue(assigned, number, result.blocks[number]);
  for (const auto &[job, number] : assigned)
    addBody(job, result.blocks[number]);

  for (const MscclppBlock &block : result.blocks)
    if (block.numChannels() > MscclppBlock::kMostChannels ||
        block.numBuffers() > MscclppBlock::kMostBuffers ||
        block.numOperations() > MscclppBlock::kMostOperations)
      return makeError(
          "a thread block of rank {0} needs {1} channels and {2} operations; "
          "MSCCL++ has {3} and {4}: {5}",
          rank, block.numChannels(), block.numOperations(),
          MscclppBlock::kMostChannels, MscclppBlock::kMostOperations,
          widestOf(assigned) > MscclppBlock::kMostChannels
              ? "a rank has as many in one step, whatever the number of trees; "
                "compile for fewer --gpus"
              : "compile with fewer --max-trees");
  return llvm::Error::success();
}

llvm::Expected<MscclppBlocks> BlockBuilder::run() {
  result_.ranks.resize(variant_.ranks()->size());
  for (uint32_t rank = 0; rank < result_.ranks.size(); ++rank)
    if (llvm::Error error = addRank(rank))
      return error;
  return std::move(result_);
}

llvm::Expected<MscclppBlocks>
blink::mscclppBlocksOf(const sched::Variant &variant, const EqualChunks &chunks,
                       llvm::ArrayRef<unsigned> wanted) {
  const MscclppJobs jobs(variant, chunks);
  if (llvm::Error error = jobs.checkInPlace())
    return error;
  const MscclppLayout layout(jobs, variant, chunks, wanted);
  return BlockBuilder(variant, jobs, layout).run();
}
