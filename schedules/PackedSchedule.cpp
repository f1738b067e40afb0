//===- PackedSchedule.cpp - schedules in fewer bytes ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The structs of a variant become columns of their words, those of all ranks
// together. The columns of a schedule mostly count.
//
//===----------------------------------------------------------------------===//

#include "schedules/PackedSchedule.h"

#include "schedules/Columns.h"
#include "schedules/Hash.h"
#include "schedules/ScheduleCopy.h"
#include "schedules/ScheduleFile.h"

#include <algorithm>
#include <cstring>
#include <exception>

namespace blink::sched {
namespace {

constexpr size_t kIdentifierAt = 4, kIdentifierBytes = 4;

/// What a rank takes without its structs: its vectors here and its table in the
/// result, in words.
constexpr uint64_t kWordsOfRank = (sizeof(RankParts) + 40) / sizeof(uint32_t);

/// The structs of all ranks, one rank after the other.
struct AllRanks {
  Column lanes, steps, operands; ///< numbers of each rank
  RankParts parts;
};

/// Writes the kinds, and then the indices by kind, because those of channels
/// count.
void writeOperands(ColumnWriter &writer, const std::vector<Operand> &operands) {
  Column kinds, indices[size_t(OperandKind::MAX) + 1];
  for (const Operand &operand : operands) {
    kinds.push_back(uint32_t(operand.kind()));
    indices[size_t(operand.kind())].push_back(operand.index());
  }
  writer.number(kinds.size());
  writer.column(kinds);
  for (const Column &ofKind : indices)
    writer.column(ofKind);
}

std::vector<Operand> readOperands(ColumnReader &reader) {
  constexpr size_t kKinds = size_t(OperandKind::MAX) + 1;
  const Column kinds = reader.column(reader.number());
  size_t sizes[kKinds] = {}, next[kKinds] = {};
  for (uint32_t kind : kinds) {
    if (kind >= kKinds) {
      reader.fail();
      return {};
    }
    ++sizes[kind];
  }
  Column indices[kKinds];
  for (size_t kind = 0; kind < kKinds; ++kind)
    indices[kind] = reader.column(sizes[kind]);
  std::vector<Operand> operands;
  if (!reader.failed())
    for (uint32_t kind : kinds)
      operands.emplace_back(indices[kind][next[kind]++], OperandKind(kind));
  return operands;
}

std::vector<uint8_t> pack(const VariantParts &variant) {
  AllRanks all;
  for (const RankParts &rank : variant.ranks) {
    const auto add = [](const auto &own, auto &to, Column &sizes) {
      sizes.push_back(uint32_t(own.size()));
      to.insert(to.end(), own.begin(), own.end());
    };
    add(rank.lanes, all.parts.lanes, all.lanes);
    add(rank.steps, all.parts.steps, all.steps);
    add(rank.operands, all.parts.operands, all.operands);
  }
  ColumnWriter writer;
  writer.structs(variant.trees);
  writer.structs(variant.channels);
  writer.structs(variant.paths);
  writer.number(variant.ranks.size());
  for (const Column *sizes : {&all.lanes, &all.steps, &all.operands})
    writer.column(*sizes);
  writer.structs(all.parts.lanes);
  writer.structs(all.parts.steps);
  writeOperands(writer, all.parts.operands);
  return std::move(writer.bytes);
}

/// Moves the next `sizes` of `all` to the vectors `of` the ranks; returns false
/// if these are not all.
template <typename Struct>
bool divide(const std::vector<Struct> &all, const Column &sizes,
            std::vector<RankParts> &ranks,
            std::vector<Struct> RankParts::*vector) {
  uint64_t begin = 0;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    if (sizes[rank] > all.size() - begin)
      return false;
    const auto first = all.begin() + long(begin);
    (ranks[rank].*vector).assign(first, first + long(sizes[rank]));
    begin += sizes[rank];
  }
  return begin == all.size();
}

/// Fills `variant` with what `reader` has; returns false if that is not the
/// content of a variant.
bool unpack(ColumnReader &reader, uint32_t mostRanks, VariantParts &variant) {
  variant.trees = reader.structs<Tree>();
  variant.channels = reader.structs<Channel>();
  variant.paths = reader.structs<uint32_t>();
  const uint64_t numRanks = reader.number();
  if (numRanks > mostRanks || !reader.pay(numRanks * kWordsOfRank))
    return false;
  AllRanks all;
  for (Column *sizes : {&all.lanes, &all.steps, &all.operands})
    *sizes = reader.column(numRanks);
  all.parts.lanes = reader.structs<Lane>();
  all.parts.steps = reader.structs<Step>();
  all.parts.operands = readOperands(reader);
  if (!reader.isDone())
    return false;
  variant.ranks.resize(numRanks);
  return divide(all.parts.lanes, all.lanes, variant.ranks, &RankParts::lanes) &&
         divide(all.parts.steps, all.steps, variant.ranks, &RankParts::steps) &&
         divide(all.parts.operands, all.operands, variant.ranks,
                &RankParts::operands);
}

std::vector<uint8_t> unpackChecked(const uint8_t *data, size_t size,
                                   std::string &error) {
  const Schedule *file = openPacked(data, size, error);
  if (!file)
    return {};
  uint64_t words = size < kMostUnpackedBytes
                       ? std::min(size * kMostTimesLarger, kMostUnpackedBytes) /
                             sizeof(uint32_t)
                       : 0;
  std::vector<ProgramParts> programs;
  for (const Program *program : *file->programs()) {
    ProgramParts &parts = programs.emplace_back();
    parts.symmetry = renamingsOf(*program);
    for (const Variant *variant : *program->variants()) {
      VariantParts &own =
          parts.variants.emplace_back(VariantParts::of(*variant));
      ColumnReader reader(own.packed.data(), own.packed.size(), words);
      if (!unpack(reader, numPrograms(*program), own)) {
        error = reader.ranOut()
                    ? "unpacked the schedule takes more than 1 GiB, or more "
                      "than 256 times its bytes; compile it again without "
                      "--symmetric"
                    : "the packed variants are damaged; compile the schedule "
                      "again";
        return {};
      }
      words = reader.wordsLeft();
      own.packed.clear();
    }
  }
  return copySchedule(*file, programs);
}

} // namespace

std::vector<uint8_t> packSchedule(const Schedule &file) {
  std::vector<ProgramParts> programs;
  for (const Program *program : *file.programs()) {
    ProgramParts &parts = programs.emplace_back();
    parts.symmetry = renamingsOf(*program);
    for (const Variant *variant : *program->variants()) {
      VariantParts own = VariantParts::of(*variant);
      own.packed = pack(own);
      own.trees.clear();
      own.channels.clear();
      own.paths.clear();
      own.ranks.clear();
      parts.variants.push_back(std::move(own));
    }
  }
  std::vector<uint8_t> bytes = copySchedule(file, programs);
  bytes.resize(bytes.size() - kHashBytes);
  std::memcpy(&bytes[kIdentifierAt], kPackedIdentifier, kIdentifierBytes);
  appendHash(bytes);
  return bytes;
}

bool isPacked(const uint8_t *data, size_t size) {
  return size >= kIdentifierAt + kIdentifierBytes &&
         std::memcmp(data + kIdentifierAt, kPackedIdentifier,
                     kIdentifierBytes) == 0;
}

std::vector<uint8_t> unpackSchedule(const uint8_t *data, size_t size,
                                    std::string &error) {
  try {
    return unpackChecked(data, size, error);
  } catch (const std::exception &) { // out of memory: no exception escapes
    error = "out of memory";
    return {};
  }
}

} // namespace blink::sched
