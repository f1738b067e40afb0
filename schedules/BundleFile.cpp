//===- BundleFile.cpp - opening, searching and sealing bundles ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The envelope of a bundle, and what is looked up in its index.
//
//===----------------------------------------------------------------------===//

#include "schedules/BundleFile.h"

#include "schedules/BundleRules.h"
#include "schedules/Hash.h"
#include "schedules/ScheduleFile.h"

#include <algorithm>
#include <cstring>
#include <exception>

namespace blink::sched {
namespace {

constexpr char kMagic[] = "BLNKBNDL";
constexpr size_t kMagicBytes = 8, kHeaderBytes = 32;
constexpr size_t kMostIndexBytes = size_t(1) << 31;
constexpr char kDamagedBundle[] =
    "; the file is damaged or not a Blink bundle: copy or compile it again";

uint64_t readNumber(const uint8_t *bytes, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i)
    value |= uint64_t(bytes[i]) << (8 * i);
  return value;
}

void appendNumber(std::vector<uint8_t> &bytes, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i)
    bytes.push_back(uint8_t(value >> (8 * i)));
}

bool openChecked(const uint8_t *data, size_t size, BundleView &bundle,
                 std::string &error) {
  if (!isBundle(data, size) || size < kHeaderBytes + kHashBytes) {
    error = std::string("not a bundle") + kDamagedBundle;
    return false;
  }
  if (reinterpret_cast<uintptr_t>(data) % 8 != 0) {
    error = "the bundle's bytes are not aligned; put them at a multiple of 8";
    return false;
  }
  const uint64_t version = readNumber(data + 8, 4);
  if (version != kBundleVersion) {
    error = "bundle of format version " + std::to_string(version) +
            ", this Blink reads version " + std::to_string(kBundleVersion) +
            ": compile it again, or use the Blink that wrote it";
    return false;
  }
  const uint64_t indexBytes = readNumber(data + 16, 8);
  const uint64_t fileBytes = readNumber(data + 24, 8);
  if (fileBytes != size) {
    error = "the bundle should have " + std::to_string(fileBytes) +
            " bytes and has " + std::to_string(size) + kDamagedBundle;
    return false;
  }
  if (indexBytes % 8 != 0 || indexBytes >= kMostIndexBytes ||
      indexBytes > size - kHeaderBytes - kHashBytes) {
    error =
        "an index of " + std::to_string(indexBytes) + " bytes" + kDamagedBundle;
    return false;
  }
  const uint8_t *end = data + kHeaderBytes + indexBytes;
  if (!hashFollows(data, kHeaderBytes + indexBytes)) {
    error = std::string("the checksum of the index does not match") +
            kDamagedBundle;
    return false;
  }
  flatbuffers::Verifier::Options options;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(indexBytes / 4);
  flatbuffers::Verifier verifier(data + kHeaderBytes, indexBytes, options);
  if (!verifier.VerifyBuffer<Bundle>(nullptr)) {
    error = std::string("the FlatBuffers structure of the index is broken") +
            kDamagedBundle;
    return false;
  }
  bundle.index = flatbuffers::GetRoot<Bundle>(data + kHeaderBytes);
  bundle.pieces = end + kHashBytes;
  bundle.piecesBytes = size - kHeaderBytes - indexBytes - kHashBytes;
  error = checkBundleRules(*bundle.index, indexBytes, bundle.piecesBytes);
  return error.empty();
}

/// The rank of the representative that is GPU `gpu` of the machine under `map`.
/// There is one.
uint16_t rankUnder(const BundleView &bundle, const AllocationClass &one,
                   const uint16_t *map, uint16_t gpu) {
  const auto &nodes = *bundle.index->gpu_nodes();
  uint16_t rank = 0;
  while (map[nodes.Get(one.gpus()->Get(rank))] != nodes.Get(gpu))
    ++rank;
  return rank;
}

} // namespace

bool isBundle(const uint8_t *data, size_t size) {
  return size >= kMagicBytes && std::memcmp(data, kMagic, kMagicBytes) == 0;
}

bool openBundle(const uint8_t *data, size_t size, BundleView &bundle,
                std::string &error) {
  try {
    return openChecked(data, size, bundle, error);
  } catch (const std::exception &) { // out of memory: no exception escapes
    error.assign("out of memory");
    return false;
  }
}

const Schedule *openPiece(const BundleView &bundle, uint32_t classNumber,
                          uint32_t collective, std::string &error) {
  const AllocationClass &one = *bundle.index->classes()->Get(classNumber);
  const Piece &piece = *one.pieces()->Get(collective);
  error.clear();
  if (piece.size() == 0)
    return nullptr;
  const Schedule *schedule =
      openSchedule(bundle.pieces + piece.offset(), piece.size(), error);
  const std::string place = "classes[" + std::to_string(classNumber) +
                            "].pieces[" + std::to_string(collective) + "]: ";
  if (!schedule) {
    error = place + error;
    return nullptr;
  }
  const Collective wanted = bundle.index->collectives()->Get(collective);
  for (const Program *program : *schedule->programs())
    if (program->collective() != wanted ||
        program->allocation()->size() != one.gpus()->size() ||
        !std::equal(one.gpus()->begin(), one.gpus()->end(),
                    program->allocation()->begin()))
      error = place + "a program for another collective or allocation";
    else if (numPrograms(*program) != one.gpus()->size())
      error = place + "a program with relays";
  if (schedule->topology()->nodes()->size() != bundle.index->num_nodes() ||
      (one.condition() == kWholeMachine &&
       schedule->topology()->fingerprint() != bundle.index->fingerprint()))
    error = place + "a schedule for another machine";
  return error.empty() ? schedule : nullptr;
}

std::optional<uint16_t> findCondition(const BundleView &bundle,
                                      const std::string &ends) {
  std::optional<uint16_t> found;
  const auto &conditions = *bundle.index->conditions();
  for (uint32_t c = 1; c < conditions.size(); ++c) {
    const Condition &one = *conditions.Get(c);
    if (ends != namedEnds(one) &&
        ends != one.id_b()->str() + ":" + one.id_a()->str())
      continue;
    if (found)
      return std::nullopt;
    found = static_cast<uint16_t>(c);
  }
  return found;
}

const Entry *findEntry(const BundleView &bundle, uint16_t condition,
                       const std::vector<uint16_t> &gpus) {
  if (condition >= bundle.index->conditions()->size())
    return nullptr;
  const auto &entries = *bundle.index->entries();
  const EntryKey key{uint32_t(gpus.size()), gpus};
  const auto entry =
      std::lower_bound(entries.begin(), entries.end(), key,
                       [&](const Entry *e, const EntryKey &wanted) {
                         return keyOf(*bundle.index, *e) < wanted;
                       });
  if (entry == entries.end() || keyOf(*bundle.index, **entry) != key)
    return nullptr;
  const auto *survivors = bundle.index->survivors();
  if (condition == kWholeMachine || !survivors)
    return *entry;
  const SurvivorKey place{condition, entry->gpus_begin()};
  const auto survivor =
      std::lower_bound(survivors->begin(), survivors->end(), place,
                       [](const Survivor *s, const SurvivorKey &wanted) {
                         return keyOf(*s) < wanted;
                       });
  if (survivor == survivors->end() || keyOf(**survivor) != place)
    return *entry;
  return survivor->entry().class_number() == kNoClass ? nullptr
                                                      : &survivor->entry();
}

std::vector<uint16_t> programRanks(const BundleView &bundle, const Entry &entry,
                                   const std::vector<uint16_t> &gpus) {
  const AllocationClass &one =
      *bundle.index->classes()->Get(entry.class_number());
  std::vector<uint16_t> ranks;
  for (uint16_t gpu : gpus)
    ranks.push_back(
        rankUnder(bundle, one,
                  bundle.index->node_maps()->data() + entry.map_begin(), gpu));
  return ranks;
}

std::vector<uint16_t> programRanks(const BundleView &bundle, const Entry &entry,
                                   const std::vector<uint16_t> &gpus,
                                   uint16_t root, uint16_t &servingRoot) {
  const AllocationClass &one =
      *bundle.index->classes()->Get(entry.class_number());
  std::vector<uint16_t> ranks = programRanks(bundle, entry, gpus);
  // The map carries the serving rank onto the root: a GPU's part is played by
  // the rank that it carries there.
  const uint16_t rank = ranks[root];
  const uint16_t *map =
      one.root_maps()->data() + uint64_t(rank) * bundle.index->num_nodes();
  servingRoot = one.roots()->Get(rank);
  for (uint16_t &r : ranks)
    r = rankUnder(bundle, one, map, one.gpus()->Get(r));
  return ranks;
}

std::vector<uint8_t> sealBundle(flatbuffers::FlatBufferBuilder &builder,
                                flatbuffers::Offset<Bundle> root,
                                std::vector<std::vector<uint8_t>> pieces) {
  builder.Finish(root);
  const size_t indexBytes = (builder.GetSize() + 7) / 8 * 8;
  size_t size = kHeaderBytes + indexBytes + kHashBytes;
  for (const std::vector<uint8_t> &piece : pieces)
    size += piece.size();
  std::vector<uint8_t> bytes(kMagic, kMagic + kMagicBytes);
  bytes.reserve(size);
  appendNumber(bytes, kBundleVersion, 4);
  appendNumber(bytes, 0, 4);
  appendNumber(bytes, indexBytes, 8);
  appendNumber(bytes, size, 8);
  const uint8_t *index = builder.GetBufferPointer();
  bytes.insert(bytes.end(), index, index + builder.GetSize());
  bytes.resize(kHeaderBytes + indexBytes);
  appendHash(bytes);
  for (std::vector<uint8_t> &piece : pieces) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    std::vector<uint8_t>().swap(piece);
  }
  return bytes;
}

} // namespace blink::sched
