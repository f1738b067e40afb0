//===- VariantParts.cpp - a variant of a file, editable -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/VariantParts.h"

namespace blink::sched {

template <typename T>
static std::vector<T> structsOf(const flatbuffers::Vector<const T *> *vector) {
  std::vector<T> structs;
  if (vector) {
    structs.reserve(vector->size());
    for (const T *item : *vector)
      structs.push_back(*item);
  }
  return structs;
}

VariantParts VariantParts::of(const Variant &variant) {
  VariantParts parts;
  parts.minBytes = variant.min_bytes();
  parts.maxBytes = variant.max_bytes();
  parts.protocol = variant.protocol();
  parts.chunks = chunksOf(variant);
  parts.trees = structsOf(variant.trees());
  parts.channels = structsOf(variant.channels());
  parts.paths.assign(variant.paths()->begin(), variant.paths()->end());
  for (const RankProgram *rank : *variant.ranks())
    parts.ranks.push_back({structsOf(rank->lanes()), structsOf(rank->steps()),
                           structsOf(rank->operands())});
  parts.times = structsOf(variant.times());
  parts.switches = structsOf(variant.switches());
  parts.symmetric = variant.symmetric();
  if (variant.packed())
    parts.packed.assign(variant.packed()->begin(), variant.packed()->end());
  return parts;
}

flatbuffers::Offset<Variant>
VariantParts::write(flatbuffers::FlatBufferBuilder &builder) const {
  // One statement each, because the order of the calls is the order in the
  // file.
  std::vector<flatbuffers::Offset<RankProgram>> programs;
  for (const RankParts &rank : ranks) {
    const auto allOperands = builder.CreateVectorOfStructs(rank.operands);
    const auto allSteps = builder.CreateVectorOfStructs(rank.steps);
    const auto allLanes = builder.CreateVectorOfStructs(rank.lanes);
    programs.push_back(
        CreateRankProgram(builder, allLanes, allSteps, allOperands));
  }
  flatbuffers::Offset<flatbuffers::Vector<const TimePoint *>> points;
  if (!times.empty())
    points = builder.CreateVectorOfStructs(times);
  flatbuffers::Offset<flatbuffers::Vector<const SwitchUse *>> uses;
  if (!switches.empty())
    uses = builder.CreateVectorOfStructs(switches);
  flatbuffers::Offset<flatbuffers::Vector<uint8_t>> allPacked;
  if (!packed.empty())
    allPacked = builder.CreateVector(packed);
  const auto allRanks = builder.CreateVector(programs);
  const auto allPaths = builder.CreateVector(paths);
  const auto allChannels = builder.CreateVectorOfStructs(channels);
  const auto allTrees = builder.CreateVectorOfStructs(trees);
  return CreateVariant(builder, minBytes, maxBytes, protocol, chunks.bytes,
                       allTrees, allChannels, allPaths, allRanks, points, uses,
                       symmetric, chunks.leastBytes,
                       uint16_t(chunks.leastChunks), allPacked);
}

} // namespace blink::sched
