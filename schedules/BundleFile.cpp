//===- BundleFile.cpp - opening, searching and sealing bundles ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The envelope of a bundle, the rules of its index, and what is looked up
// there.
//
//===----------------------------------------------------------------------===//

#include "schedules/BundleFile.h"

#include "schedules/ReadBudget.h"
#include "schedules/ScheduleFile.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <tuple>

namespace blink::sched {
namespace {

constexpr char kMagic[] = "BLNKBNDL";
constexpr size_t kMagicBytes = 8, kHeaderBytes = 32, kChecksumBytes = 8;
constexpr size_t kMostIndexBytes = size_t(1) << 31;
constexpr char kDamaged[] =
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

std::string at(const char *name, uint64_t index) {
  return std::string(name) + "[" + std::to_string(index) + "]";
}

template <typename T> bool ascending(const T *begin, size_t count) {
  for (size_t i = 1; i < count; ++i)
    if (begin[i - 1] >= begin[i])
      return false;
  return true;
}

/// One walk over an untrusted index.
class IndexWalk {
public:
  IndexWalk(const Bundle &index, uint64_t indexBytes, uint64_t piecesBytes)
      : index_(index), budget_(indexBytes), piecesBytes_(piecesBytes) {}

  /// Empty, or the first violation.
  std::string run() {
    checkMachine() && checkClasses() && checkEntries();
    return std::move(error_);
  }

private:
  /// `place` is within `within_`.
  bool fail(const std::string &place, const std::string &what) {
    error_ = within_ + place + ": " + what;
    return false;
  }

  template <typename T>
  bool pay(const char *name, const flatbuffers::Vector<T> *vector) {
    const char *wrong = budget_.pay(vector);
    return !wrong || fail(name, wrong);
  }

  bool checkMachine();
  bool checkClasses();
  bool checkClass(const AllocationClass &one);
  bool checkEntries();
  std::string judgeGpus(const uint16_t *gpus, size_t count) const;
  std::string judgeMap(const uint16_t *map, const AllocationClass &one,
                       const uint16_t *gpus, size_t count) const;

  const Bundle &index_;
  ReadBudget budget_;
  const uint64_t piecesBytes_;
  uint64_t piecesEnd_ = 0;
  std::string within_, error_;
};

bool IndexWalk::checkMachine() {
  if (index_.num_nodes() >= kUnmapped)
    return fail("num_nodes",
                std::to_string(index_.num_nodes()) + ", expected under 65535");
  const auto &gpus = *index_.gpu_nodes();
  if (!pay("gpu_nodes", &gpus))
    return false;
  if (gpus.size() == 0 || !ascending(gpus.data(), gpus.size()) ||
      gpus.Get(gpus.size() - 1) >= index_.num_nodes())
    return fail("gpu_nodes", "expected ascending numbers of nodes");
  const auto &collectives = *index_.collectives();
  if (!pay("collectives", &collectives))
    return false;
  for (uint32_t i = 0; i < collectives.size(); ++i)
    if (collectives.Get(i) > Collective::MAX ||
        (i != 0 && collectives.Get(i - 1) >= collectives.Get(i)))
      return fail(at("collectives", i), "expected ascending collectives; a "
                                        "newer Blink may know this one");
  if (collectives.size() == 0)
    return fail("collectives", "expected at least one");
  if (index_.conditions()->size() == 0 ||
      index_.conditions()->Get(0)->description()->size() != 0)
    return fail("conditions", "the first must be the whole machine");
  return pay("conditions", index_.conditions());
}

/// Empty, or what is wrong; so the next one.
std::string IndexWalk::judgeGpus(const uint16_t *gpus, size_t count) const {
  if (count == 0 || !ascending(gpus, count) ||
      gpus[count - 1] >= index_.gpu_nodes()->size())
    return "expected GPUs of the machine, ascending";
  return "";
}

/// Whether `map` carries the class's GPUs onto `gpus`, each onto another.
std::string IndexWalk::judgeMap(const uint16_t *map, const AllocationClass &one,
                                const uint16_t *gpus, size_t count) const {
  const auto &nodes = *index_.gpu_nodes();
  std::vector<bool> met(count);
  for (uint32_t n = 0; n < index_.num_nodes(); ++n)
    if (map[n] != kUnmapped && map[n] >= index_.num_nodes())
      return "node " + std::to_string(map[n]) + " of " +
             std::to_string(index_.num_nodes());
  if (one.gpus()->size() != count)
    return "a map between " + std::to_string(one.gpus()->size()) + " and " +
           std::to_string(count) + " GPUs";
  for (uint16_t gpu : *one.gpus()) {
    size_t i = 0;
    while (i < count && nodes.Get(gpus[i]) != map[nodes.Get(gpu)])
      ++i;
    if (i == count || met[i])
      return "GPU " + std::to_string(gpu) +
             " is carried onto none of the allocation, or onto one that is "
             "taken";
    met[i] = true;
  }
  return "";
}

bool IndexWalk::checkClass(const AllocationClass &one) {
  const uint32_t ranks = one.gpus()->size(), nodes = index_.num_nodes();
  if (!pay("gpus", one.gpus()) || !pay("pieces", one.pieces()) ||
      !pay("roots", one.roots()) || !pay("root_maps", one.root_maps()))
    return false;
  std::string wrong = judgeGpus(one.gpus()->data(), ranks);
  if (!wrong.empty())
    return fail("gpus", wrong);
  if (one.condition() >= index_.conditions()->size())
    return fail("condition", "expected one of " +
                                 std::to_string(index_.conditions()->size()));
  if (one.pieces()->size() != index_.collectives()->size())
    return fail("pieces", "expected one a collective");
  for (const Piece *piece : *one.pieces()) {
    if (piece->offset() != piecesEnd_ ||
        piece->size() > piecesBytes_ - piecesEnd_ || piece->size() % 8 != 0)
      return fail("pieces", "expected one behind the other");
    piecesEnd_ += piece->size();
  }
  if (one.roots()->size() != ranks ||
      one.root_maps()->size() != uint64_t(ranks) * nodes)
    return fail("roots", "expected one root and one map a rank");
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    const uint16_t root = one.roots()->Get(rank);
    const uint16_t *map = one.root_maps()->data() + uint64_t(rank) * nodes;
    if (root > rank || one.roots()->Get(root) != root)
      return fail(at("roots", rank),
                  "expected a lower rank that serves itself");
    wrong = judgeMap(map, one, one.gpus()->data(), ranks);
    if (!wrong.empty())
      return fail(at("root_maps", rank), wrong);
    const auto nodeOf = [&](uint32_t r) {
      return index_.gpu_nodes()->Get(one.gpus()->Get(r));
    };
    if (map[nodeOf(root)] != nodeOf(rank))
      return fail(at("root_maps", rank),
                  "does not carry the serving rank onto this one");
  }
  return true;
}

bool IndexWalk::checkClasses() {
  if (!pay("classes", index_.classes()))
    return false;
  for (uint32_t c = 0; c < index_.classes()->size(); ++c) {
    within_ = at("classes", c) + ".";
    if (!checkClass(*index_.classes()->Get(c)))
      return false;
  }
  within_.clear();
  if (piecesEnd_ != piecesBytes_)
    return fail("classes", "the pieces end at " + std::to_string(piecesEnd_) +
                               ", the file at " + std::to_string(piecesBytes_));
  return true;
}

/// The order of entries.
using Key = std::tuple<uint16_t, uint32_t, std::vector<uint16_t>>;

Key keyOf(const Bundle &index, const Entry &entry) {
  const uint16_t *gpus = index.gpus()->data() + entry.gpus_begin();
  return {index.classes()->Get(entry.class_number())->condition(),
          entry.gpus_count(),
          {gpus, gpus + entry.gpus_count()}};
}

bool IndexWalk::checkEntries() {
  const auto &entries = *index_.entries();
  if (!pay("entries", &entries) || !pay("gpus", index_.gpus()) ||
      !pay("node_maps", index_.node_maps()))
    return false;
  if (entries.size() == 0)
    return fail("entries", "expected at least one");
  // Every number belongs to one entry: a long walk needs a long file.
  uint64_t gpus = 0, maps = 0;
  Key last;
  for (uint32_t e = 0; e < entries.size(); ++e) {
    const Entry &entry = *entries.Get(e);
    const std::string place = at("entries", e);
    if (entry.class_number() >= index_.classes()->size())
      return fail(place, "class " + std::to_string(entry.class_number()) +
                             " of " + std::to_string(index_.classes()->size()));
    if (entry.gpus_begin() != gpus || entry.map_begin() != maps ||
        entry.gpus_count() > index_.gpus()->size() - gpus ||
        index_.num_nodes() > index_.node_maps()->size() - maps)
      return fail(place, "expected its GPUs and its map behind those of the "
                         "entry before");
    const uint16_t *list = index_.gpus()->data() + gpus;
    std::string wrong = judgeGpus(list, entry.gpus_count());
    if (wrong.empty())
      wrong = judgeMap(index_.node_maps()->data() + maps,
                       *index_.classes()->Get(entry.class_number()), list,
                       entry.gpus_count());
    if (!wrong.empty())
      return fail(place, wrong);
    Key key = keyOf(index_, entry);
    if (e != 0 && !(last < key))
      return fail(place, last == key ? "a second entry for the same allocation"
                                     : "out of order");
    last = std::move(key);
    gpus += entry.gpus_count();
    maps += index_.num_nodes();
  }
  if (gpus != index_.gpus()->size() || maps != index_.node_maps()->size())
    return fail("entries", "GPUs or node maps are left over");
  return true;
}

bool openChecked(const uint8_t *data, size_t size, BundleView &bundle,
                 std::string &error) {
  if (!isBundle(data, size) || size < kHeaderBytes + kChecksumBytes) {
    error = std::string("not a bundle") + kDamaged;
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
            " bytes and has " + std::to_string(size) + kDamaged;
    return false;
  }
  if (indexBytes % 8 != 0 || indexBytes >= kMostIndexBytes ||
      indexBytes > size - kHeaderBytes - kChecksumBytes) {
    error = "an index of " + std::to_string(indexBytes) + " bytes" + kDamaged;
    return false;
  }
  const uint8_t *end = data + kHeaderBytes + indexBytes;
  if (fnv1a64(data, kHeaderBytes + indexBytes) !=
      readNumber(end, kChecksumBytes)) {
    error = std::string("the checksum of the index does not match") + kDamaged;
    return false;
  }
  flatbuffers::Verifier::Options options;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(indexBytes / 4);
  flatbuffers::Verifier verifier(data + kHeaderBytes, indexBytes, options);
  if (!verifier.VerifyBuffer<Bundle>(nullptr)) {
    error = std::string("the FlatBuffers structure of the index is broken") +
            kDamaged;
    return false;
  }
  bundle.index = flatbuffers::GetRoot<Bundle>(data + kHeaderBytes);
  bundle.pieces = end + kChecksumBytes;
  bundle.piecesBytes = size - kHeaderBytes - indexBytes - kChecksumBytes;
  error = IndexWalk(*bundle.index, indexBytes, bundle.piecesBytes).run();
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
      (one.condition() == 0 &&
       schedule->topology()->fingerprint() != bundle.index->fingerprint()))
    error = place + "a schedule for another machine";
  return error.empty() ? schedule : nullptr;
}

const Entry *findEntry(const BundleView &bundle, uint16_t condition,
                       const std::vector<uint16_t> &gpus) {
  const auto &entries = *bundle.index->entries();
  const Key key{condition, uint32_t(gpus.size()), gpus};
  uint32_t low = 0, high = entries.size();
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (keyOf(*bundle.index, *entries.Get(middle)) < key)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == entries.size() || keyOf(*bundle.index, *entries.Get(low)) != key)
    return nullptr;
  return entries.Get(low);
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
  size_t size = kHeaderBytes + indexBytes + kChecksumBytes;
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
  appendNumber(bytes, fnv1a64(bytes.data(), bytes.size()), kChecksumBytes);
  for (std::vector<uint8_t> &piece : pieces) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    std::vector<uint8_t>().swap(piece);
  }
  return bytes;
}

} // namespace blink::sched
