//===- Mscclpp.cpp - schedules as MSCCL++'s execution plans ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/export/EqualTrees.h"
#include "compiler/export/Export.h"
#include "compiler/export/MscclppBlocks.h"
#include "compiler/export/PlainNotes.h"

#include "compiler/support/Error.h"
#include "compiler/support/Numbers.h"
#include "compiler/topology/Topology.h"
#include "schedules/Collectives.h"
#include "schedules/Hash.h"

#include <algorithm>

using namespace blink;
namespace json = llvm::json;

/// Chunks are a multiple of this many bytes.
static constexpr uint64_t kAlignment = 16;
/// The executor has 32-bit offsets and 16-bit counts of a pipeline's rounds.
static constexpr uint64_t kMostOffset = UINT32_MAX;
static constexpr uint64_t kMostRounds = UINT16_MAX;

static llvm::Error refuse(const sched::Program &program,
                          const sched::Variant &variant) {
  const sched::CollectiveTraits &traits = sched::traitsOf(program.collective());
  const std::string name = toString(program.collective()).str();
  if (traits.routed)
    return makeError("{0}: plans are of an allreduce, broadcast, reduce, "
                     "allgather or reducescatter",
                     name);
  if (program.allocation()->size() < 2)
    return makeError("{0} of one rank: there is nothing to send", name);
  if (program.relays() && program.relays()->size() > 0)
    return makeError("the schedule has relays; a plan is run by its ranks "
                     "alone. Compile it without --relays");
  for (const sched::Channel *channel : *variant.channels()) {
    if (channel->kind() == sched::ChannelKind::network)
      return makeError("the schedule is of several servers; a plan's memory "
                       "channels are within one");
    if (channel->kind() == sched::ChannelKind::staged)
      return makeError("from rank {0} to rank {1} the schedule goes through "
                       "host memory; a plan's memory channels are between GPUs "
                       "that reach each other's memory. Compile it for other "
                       "--links, such as nvlink or xgmi, or other --gpus",
                       channel->source(), channel->destination());
  }
  return llvm::Error::success();
}

static std::string rankText(const MscclppRank &rank, int id, unsigned inputs,
                            unsigned outputs) {
  json::Array channels;
  channels.push_back(json::Object{{"channel_type", "memory"},
                                  {"connected_to", json::Array(rank.peers)}});
  std::string text = llvm::formatv(
      "  {{\"id\": {0},\n   \"input_chunks\": {1},\n   \"output_chunks\": {2},"
      "\n   \"scratch_chunks\": {3},\n   \"channels\": {4},\n   "
      "\"remote_buffers\": {5},\n   \"semaphores\": [],\n   "
      "\"threadblocks\": [",
      id, inputs, outputs, rank.scratchChunks, json::Value(std::move(channels)),
      rank.buffers.text());
  for (size_t b = 0; b < rank.blocks.size(); ++b)
    text += (b ? ",\n     " : "\n     ") + rank.blocks[b].text(b);
  return text + "]}";
}

static std::vector<std::string> notesOf(const sched::Program &program,
                                        const EqualChunks &chunks,
                                        uint64_t least, uint64_t most) {
  std::vector<std::string> notes = plainNotes(program);
  const std::vector<int> gpus(program.allocation()->begin(),
                              program.allocation()->end());
  if (gpus != firstNumbers(gpus.size()))
    notes.push_back("a plan names ranks alone: ranks 0 to " +
                    std::to_string(gpus.size() - 1) + " must be GPUs " +
                    joinNumbers(gpus));
  const auto *switches =
      program.variants()->Get(program.variants()->size() - 1)->switches();
  if (switches && switches->size() > 0)
    notes.push_back(llvm::formatv(
        "what switches add and copy is left out; GPUs do it, and links sustain "
        "{0:f3} GB/s instead of {1:f3}",
        chunks.rate, program.algbw()));
  else if (!chunks.isExact)
    notes.push_back(llvm::formatv(
        "shares of trees are rounded to chunks, {0} of a block: {1:f3} GB/s of "
        "the schedule's {2:f3}",
        chunks.perBlock, program.algbw() / chunks.load, program.algbw()));
  notes.push_back(llvm::formatv(
      "for messages of {0} bytes and multiples of that, to {1}", least, most));
  return notes;
}

llvm::Expected<ExportedFile>
blink::exportMscclpp(const sched::Schedule &file,
                     const sched::Program &program) {
  const sched::Variant &variant =
      *program.variants()->Get(program.variants()->size() - 1);
  if (llvm::Error error = refuse(program, variant))
    return error;
  const std::vector<uint32_t> numerators = joinEqualTrees(variant);
  const std::vector<unsigned> wanted =
      blocksWanted(program, variant, numerators);
  const EqualChunks chunks =
      equalChunksFor(*file.topology(), variant, numerators, wanted);
  llvm::Expected<MscclppBlocks> blocks =
      mscclppBlocksOf(variant, chunks, wanted);
  if (!blocks)
    return blocks.takeError();

  const sched::CollectiveTraits &traits = sched::traitsOf(program.collective());
  const unsigned numRanks = program.allocation()->size();
  const unsigned inputs =
      chunks.perBlock * (traits.scattersInput ? numRanks : 1);
  const unsigned outputs =
      chunks.perBlock * (traits.gathersOutput ? numRanks : 1);
  // The executor, too, takes the larger of the two as a message's size.
  const unsigned whole = std::max(inputs, outputs);
  unsigned longest = whole;
  for (const MscclppRank &rank : blocks->ranks)
    longest = std::max(longest, rank.scratchChunks);
  const uint64_t chunkBytes =
      std::min(kMostOffset / longest,
               kMostRounds * variant.chunk_bytes() / blocks->mostIterationsOf) /
      kAlignment * kAlignment;

  std::string gpus;
  for (size_t rank = 0; rank < blocks->ranks.size(); ++rank)
    gpus += (rank ? ",\n" : "\n") +
            rankText(blocks->ranks[rank], rank, inputs, outputs);
  // The executor caches what it makes of a plan under the plan's name.
  const std::string name = llvm::formatv(
      "blink {0} on {1}, {2}", toString(program.collective()),
      file.topology()->name()->str(),
      llvm::utohexstr(sched::hash64(gpus.data(), gpus.size()), true));
  std::string text = llvm::formatv(
      "{{\"name\": {0},\n \"collective\": \"{1}\",\n \"protocol\": "
      "\"Simple\",\n"
      " \"inplace\": {2},\n \"reuse_resources\": false,\n "
      "\"use_double_scratch_buffer\": false,\n \"buffer_alignment\": {3},\n "
      "\"num_threads_per_block\": 1024,\n \"min_message_size\": {4},\n "
      "\"max_message_size\": {5},\n \"gpus\": [{6}]}\n",
      json::Value(json::fixUTF8(name)), toString(program.collective()),
      inputs == outputs ? "true" : "false", kAlignment, kAlignment * whole,
      chunkBytes * whole, gpus);
  return ExportedFile{
      std::move(text),
      notesOf(program, chunks, kAlignment * whole, chunkBytes * whole)};
}
