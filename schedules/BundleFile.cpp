//===- BundleFile.cpp - opening, searching and sealing bundles ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The envelope of a bundle, and lookups in its index.
//
//===----------------------------------------------------------------------===//

#include "schedules/BundleFile.h"

#include "schedules/BundleRules.h"
#include "schedules/Hash.h"
#include "schedules/ScheduleFile.h"
#include "schedules/Text.h"

#include <algorithm>
#include <cstring>
#include <exception>

namespace blink::sched {
namespace {

constexpr char kMagic[] = "BLNKBNDL";
constexpr size_t kMagicBytes = 8;
constexpr size_t kMostIndexBytes = size_t(1) << 31;
constexpr char kDamagedBundle[] =
    "; the file is damaged or not a Blink bundle: copy or compile it again";

bool openChecked(const uint8_t *data, size_t size, BundleView &bundle,
                 std::string &error) {
  const auto refuse = [&](const auto &...what) {
    error = textOf(what...);
    return false;
  };
  if (!isBundle(data, size) || size < kIndexAt + kHashBytes)
    return refuse(std::string("not a bundle") + kDamagedBundle);
  if (reinterpret_cast<uintptr_t>(data) % 8 != 0)
    return refuse("the bundle's bytes are not aligned; put them at a multiple "
                  "of 8");
  const auto version = flatbuffers::ReadScalar<uint32_t>(data + kVersionAt);
  if (version != kBundleVersion)
    return refuse("bundle of format version ", version,
                  ", this Blink reads version ", kBundleVersion,
                  ": compile it again, or use the Blink that wrote it");
  const auto indexBytes =
      flatbuffers::ReadScalar<uint64_t>(data + kIndexBytesAt);
  const auto fileBytes = flatbuffers::ReadScalar<uint64_t>(data + kFileBytesAt);
  if (fileBytes != size)
    return refuse("the bundle should have ", fileBytes, " bytes and has ", size,
                  kDamagedBundle);
  if (indexBytes % 8 != 0 || indexBytes >= kMostIndexBytes ||
      indexBytes > size - kIndexAt - kHashBytes)
    return refuse("an index of ", indexBytes, " bytes", kDamagedBundle);
  if (!hashFollows(data, kIndexAt + indexBytes))
    return refuse(std::string("the checksum of the index does not match") +
                  kDamagedBundle);
  flatbuffers::Verifier::Options options;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(indexBytes / 4);
  flatbuffers::Verifier verifier(data + kIndexAt, indexBytes, options);
  if (!verifier.VerifyBuffer<Bundle>(nullptr))
    return refuse(std::string("the FlatBuffers structure of the index is "
                              "broken") +
                  kDamagedBundle);
  bundle.index = flatbuffers::GetRoot<Bundle>(data + kIndexAt);
  bundle.pieces = data + kIndexAt + indexBytes + kHashBytes;
  bundle.piecesBytes = size - kIndexAt - indexBytes - kHashBytes;
  error = checkBundleRules(*bundle.index, indexBytes, bundle.piecesBytes);
  if (error.empty() && bundle.index->cluster())
    bundle.cluster = std::make_shared<const ClusterSymmetry>(*bundle.index);
  return error.empty();
}

/// Returns the rank of the representative that `map` carries onto GPU `gpu` of
/// the machine. There always is one.
uint16_t rankUnder(const BundleView &bundle, const AllocationClass &one,
                   const uint16_t *map, uint16_t gpu) {
  const auto &nodes = *bundle.index->gpu_nodes();
  uint16_t rank = 0;
  while (map[nodes.Get(one.gpus()->Get(rank))] != nodes.Get(gpu))
    ++rank;
  return rank;
}

/// Returns the number of nodes in the part of a cluster that `gpus` use.
uint32_t partNodes(const BundleView &bundle,
                   const std::vector<uint16_t> &gpus) {
  const Cluster &cluster = *bundle.index->cluster();
  uint32_t nodes = bundle.index->num_nodes();
  for (const Box *box : *cluster.boxes())
    nodes -= box->nodes()->size();
  for (uint16_t box : bundle.cluster->boxesOf(gpus))
    nodes += cluster.boxes()->Get(box)->nodes()->size();
  return nodes;
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
  const std::string place =
      textOf("classes[", classNumber, "].pieces[", collective, "]: ");
  if (!schedule) {
    error = place + error;
    return nullptr;
  }
  const Collective wanted = bundle.index->collectives()->Get(collective);
  std::vector<uint16_t> gpus(one.gpus()->begin(), one.gpus()->end());
  uint32_t nodes = bundle.index->num_nodes();
  if (bundle.cluster) {
    nodes = partNodes(bundle, gpus);
    gpus = bundle.cluster->partNumbers(gpus);
  }
  for (const Program *program : *schedule->programs())
    if (program->collective() != wanted ||
        !std::equal(gpus.begin(), gpus.end(), program->allocation()->begin(),
                    program->allocation()->end()))
      error = place + "a program for another collective or allocation";
    else if (numPrograms(*program) != one.gpus()->size())
      error = place + "a program with relays";
  if (schedule->topology()->nodes()->size() != nodes ||
      (!bundle.cluster && one.condition() == kWholeMachine &&
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
                       const std::vector<uint16_t> &asked) {
  std::vector<uint16_t> gpus = asked;
  if (bundle.cluster) {
    gpus = bundle.cluster->representative(asked);
    std::sort(gpus.begin(), gpus.end());
  }
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
  if (bundle.cluster) {
    for (uint16_t gpu : bundle.cluster->representative(gpus))
      ranks.push_back(static_cast<uint16_t>(
          std::lower_bound(one.gpus()->begin(), one.gpus()->end(), gpu) -
          one.gpus()->begin()));
    return ranks;
  }
  for (uint16_t gpu : gpus)
    ranks.push_back(
        rankUnder(bundle, one,
                  bundle.index->node_maps()->data() + entry.map_begin(), gpu));
  return ranks;
}

std::vector<uint16_t> programRanks(const BundleView &bundle, const Entry &entry,
                                   const std::vector<uint16_t> &gpus,
                                   uint16_t root, uint16_t &servingRoot) {
  return turnToRoot(bundle, entry, programRanks(bundle, entry, gpus), root,
                    servingRoot);
}

std::vector<uint16_t> turnToRoot(const BundleView &bundle, const Entry &entry,
                                 std::vector<uint16_t> ranks, uint16_t root,
                                 uint16_t &servingRoot) {
  const AllocationClass &one =
      *bundle.index->classes()->Get(entry.class_number());
  const uint16_t rank = ranks[root];
  if (bundle.cluster) {
    const ClusterSymmetry::RankTurn turn =
        bundle.cluster->turnTo({one.gpus()->begin(), one.gpus()->end()}, rank);
    servingRoot = turn.least;
    if (!turn.ranks.empty())
      for (uint16_t &r : ranks)
        r = turn.ranks[r];
    return ranks;
  }
  // The map carries the serving rank onto the root. A GPU's role is played by
  // the rank that the map carries onto it.
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
  size_t size = kIndexAt + indexBytes + kHashBytes;
  for (const std::vector<uint8_t> &piece : pieces)
    size += piece.size();
  std::vector<uint8_t> bytes(kIndexAt);
  bytes.reserve(size);
  std::memcpy(bytes.data(), kMagic, kMagicBytes);
  flatbuffers::WriteScalar(&bytes[kVersionAt], kBundleVersion);
  flatbuffers::WriteScalar(&bytes[kIndexBytesAt], uint64_t(indexBytes));
  flatbuffers::WriteScalar(&bytes[kFileBytesAt], uint64_t(size));
  const uint8_t *index = builder.GetBufferPointer();
  bytes.insert(bytes.end(), index, index + builder.GetSize());
  bytes.resize(kIndexAt + indexBytes);
  appendHash(bytes);
  for (std::vector<uint8_t> &piece : pieces) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    std::vector<uint8_t>().swap(piece);
  }
  return bytes;
}

} // namespace blink::sched
