//===- BundleRules.cpp - the rules of bundle.fbs --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/BundleRules.h"

#include "schedules/BundleFile.h"
#include "schedules/CheckRules.h"
#include "schedules/ClusterRules.h"
#include "schedules/Provenance.h"
#include "schedules/Text.h"

#include <algorithm>
#include <map>

namespace blink::sched {
namespace {

template <typename T> bool ascending(const T *begin, size_t count) {
  for (size_t i = 1; i < count; ++i)
    if (begin[i - 1] >= begin[i])
      return false;
  return true;
}

constexpr char kWithoutLink[] = "--without-link ";
constexpr uint32_t kMostConditions = 1 << 16; // numbers have 16 bits

/// One walk over an untrusted index.
class IndexWalk : RuleWalk {
public:
  IndexWalk(const Bundle &index, uint64_t indexBytes, uint64_t piecesBytes)
      : RuleWalk(indexBytes), index_(index), piecesBytes_(piecesBytes) {}

  /// Returns an empty string or the first violation.
  std::string run() {
    checkMaking() && checkMachine() && checkCluster() && checkConditions() &&
        checkClasses() &&
        (index_.cluster() ? checkRepresentatives()
                          : checkEntries() && checkSurvivors());
    return std::move(error_);
  }

private:
  bool checkMaking() {
    error_ = checkProvenance(*index_.provenance(), budget_);
    return error_.empty();
  }
  bool checkMachine();
  bool checkCluster();
  bool checkConditions();
  bool checkClasses();
  bool checkClass(const AllocationClass &one);
  bool checkEntries();
  bool checkRepresentatives();
  bool checkSurvivors();
  bool checkSurvivor(const std::string &place, const Survivor &survivor);
  std::string judgeGpus(const uint16_t *gpus, size_t count) const;
  std::string judgeMap(const uint16_t *map, const AllocationClass &one,
                       const uint16_t *gpus, size_t count);
  std::string judgeMap(const Entry &entry);
  /// Returns where the node maps of all entries and survivors so far end.
  uint64_t mapsEnd() const {
    return uint64_t(mapUsers_.size()) * index_.num_nodes();
  }

  const Bundle &index_;
  const uint64_t piecesBytes_;
  uint64_t piecesEnd_ = 0;
  std::vector<uint32_t> marks_; // per node, as judgeMap left it
  uint32_t lastMark_ = 0;
  // Per class, the first class with the same representative GPUs.
  std::vector<uint32_t> sameGpus_;
  // Per node map so far, the first entry or survivor that has it.
  std::vector<const Entry *> mapUsers_;
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
  return true;
}

bool IndexWalk::checkCluster() {
  if (!index_.cluster())
    return true;
  error_ = checkClusterRules(index_, budget_);
  if (!error_.empty())
    return false;
  if (index_.conditions()->size() != 1 ||
      (index_.survivors() && index_.survivors()->size() != 0))
    return fail("cluster", "a bundle for one has nothing in reserve");
  return true;
}

/// Checks that a cluster's entries are the representatives of its classes.
bool IndexWalk::checkRepresentatives() {
  const auto &entries = *index_.entries();
  if (!pay("entries", &entries) || !pay("gpus", index_.gpus()) ||
      !pay("node_maps", index_.node_maps()))
    return false;
  if (entries.size() == 0 || entries.size() != index_.classes()->size() ||
      index_.node_maps()->size() != 0)
    return fail("entries", "expected one a class, and no node maps");
  uint64_t gpus = 0;
  EntryKey last;
  for (uint32_t e = 0; e < entries.size(); ++e) {
    const Entry &entry = *entries.Get(e);
    const std::string place = at("entries", e);
    const auto &own = *index_.classes()->Get(e)->gpus();
    if (entry.class_number() != e || entry.map_begin() != 0 ||
        entry.gpus_begin() != gpus || entry.gpus_count() != own.size() ||
        own.size() > index_.gpus()->size() - gpus ||
        !std::equal(own.begin(), own.end(), index_.gpus()->begin() + gpus))
      return fail(place, "expected the GPUs of the class of its number");
    EntryKey key = keyOf(index_, entry);
    if (e != 0 && !(last < key))
      return fail(place, "out of order, or a second one");
    last = std::move(key);
    gpus += own.size();
  }
  return gpus == index_.gpus()->size() || fail("entries", "GPUs are left over");
}

bool IndexWalk::checkConditions() {
  const auto &conditions = *index_.conditions();
  if (!pay("conditions", &conditions))
    return false;
  if (conditions.size() == 0 || conditions.Get(0)->description()->size() != 0)
    return fail("conditions", "the first must be the whole machine");
  if (conditions.size() > kMostConditions)
    return fail("conditions", conditions.size(), ", expected at most ",
                kMostConditions);
  for (uint32_t c = 1; c < conditions.size(); ++c) {
    const Condition &one = *conditions.Get(c), &before = *conditions.Get(c - 1);
    const std::string place = at("conditions", c);
    if (one.node_a() >= one.node_b() || one.node_b() >= index_.num_nodes())
      return fail(place, "expected two ascending numbers of nodes");
    if (c > 1 && std::make_pair(before.node_a(), before.node_b()) >=
                     std::make_pair(one.node_a(), one.node_b()))
      return fail(place, "out of order");
    if (!one.id_a() || !one.id_b() || one.id_a()->size() == 0 ||
        one.id_b()->size() == 0)
      return fail(place, "expected ids of two nodes");
    for (const flatbuffers::String *text :
         {one.description(), one.id_a(), one.id_b()})
      if (const char *wrong = budget_.pay(text))
        return fail(place, wrong);
    if (one.description()->str() != kWithoutLink + namedEnds(one))
      return fail(place, "its description is not that of its nodes");
  }
  return true;
}

/// Returns an empty string or what is wrong, like the next function.
std::string IndexWalk::judgeGpus(const uint16_t *gpus, size_t count) const {
  if (count == 0 || !ascending(gpus, count) ||
      gpus[count - 1] >= index_.gpu_nodes()->size())
    return "expected GPUs of the machine, ascending";
  return "";
}

/// Checks that `map` carries the class's GPUs onto `gpus`, each onto a
/// different one.
std::string IndexWalk::judgeMap(const uint16_t *map, const AllocationClass &one,
                                const uint16_t *gpus, size_t count) {
  const auto &nodes = *index_.gpu_nodes();
  for (uint32_t n = 0; n < index_.num_nodes(); ++n)
    if (map[n] != kUnmapped && map[n] >= index_.num_nodes())
      return outOf("node", map[n], index_.num_nodes());
  if (one.gpus()->size() != count)
    return textOf("a map between ", one.gpus()->size(), " and ", count,
                  " GPUs");
  marks_.resize(index_.num_nodes());
  ++lastMark_; // marks nodes of `gpus` that no GPU is carried onto yet
  for (size_t i = 0; i < count; ++i)
    marks_[nodes.Get(gpus[i])] = lastMark_;
  for (uint16_t gpu : *one.gpus()) {
    const uint16_t image = map[nodes.Get(gpu)];
    if (image == kUnmapped || marks_[image] != lastMark_)
      return textOf(
          "GPU ", gpu,
          " is carried onto none of the allocation, or onto one that is "
          "taken");
    marks_[image] = 0;
  }
  return "";
}

/// The same for an entry or a survivor whose GPUs have been checked. Its map is
/// a new one behind the others, or one of them.
std::string IndexWalk::judgeMap(const Entry &entry) {
  const uint64_t number = entry.map_begin() / index_.num_nodes();
  const AllocationClass &one = *index_.classes()->Get(entry.class_number());
  if (number < mapUsers_.size()) {
    const Entry &first = *mapUsers_[number];
    // A map that is right for some GPUs is wrong for all others.
    if (first.gpus_begin() != entry.gpus_begin() ||
        sameGpus_[first.class_number()] != sameGpus_[entry.class_number()])
      return "its map is that of another allocation or representative";
    return "";
  }
  mapUsers_.push_back(&entry);
  return judgeMap(index_.node_maps()->data() + entry.map_begin(), one,
                  index_.gpus()->data() + entry.gpus_begin(),
                  entry.gpus_count());
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
    return fail("condition", "expected one of ", index_.conditions()->size());
  if (one.pieces()->size() != index_.collectives()->size())
    return fail("pieces", "expected one a collective");
  for (const Piece *piece : *one.pieces()) {
    if (piece->offset() != piecesEnd_ ||
        piece->size() > piecesBytes_ - piecesEnd_ || piece->size() % 8 != 0)
      return fail("pieces", "expected one behind the other");
    piecesEnd_ += piece->size();
  }
  const bool mapped = !index_.cluster();
  if (one.roots()->size() != ranks ||
      one.root_maps()->size() != (mapped ? uint64_t(ranks) * nodes : 0))
    return fail("roots", "expected one root and one map a rank; of a cluster, "
                         "no maps");
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    const uint16_t root = one.roots()->Get(rank);
    if (root > rank || one.roots()->Get(root) != root)
      return fail(at("roots", rank),
                  "expected a lower rank that serves itself");
    if (!mapped)
      continue;
    const uint16_t *map = one.root_maps()->data() + uint64_t(rank) * nodes;
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
    return fail("classes", "the pieces end at ", piecesEnd_, ", the file at ",
                piecesBytes_);
  std::map<std::vector<uint16_t>, uint32_t> firsts;
  for (uint32_t c = 0; c < index_.classes()->size(); ++c) {
    const auto &gpus = *index_.classes()->Get(c)->gpus();
    sameGpus_.push_back(
        firsts.insert({{gpus.begin(), gpus.end()}, c}).first->second);
  }
  return true;
}

bool IndexWalk::checkEntries() {
  const auto &entries = *index_.entries();
  if (!pay("entries", &entries) || !pay("gpus", index_.gpus()) ||
      !pay("node_maps", index_.node_maps()))
    return false;
  if (entries.size() == 0)
    return fail("entries", "expected at least one");
  // Every GPU number belongs to one entry, so a long walk needs a long file.
  uint64_t gpus = 0;
  EntryKey last;
  for (uint32_t e = 0; e < entries.size(); ++e) {
    const Entry &entry = *entries.Get(e);
    const std::string place = at("entries", e);
    if (entry.class_number() >= index_.classes()->size())
      return fail(place, outOf("class", entry.class_number(),
                               index_.classes()->size()));
    if (index_.classes()->Get(entry.class_number())->condition() !=
        kWholeMachine)
      return fail(place, "expected a class of the whole machine");
    if (entry.gpus_begin() != gpus || entry.map_begin() != mapsEnd() ||
        entry.gpus_count() > index_.gpus()->size() - gpus ||
        index_.num_nodes() > index_.node_maps()->size() - mapsEnd())
      return fail(place, "expected its GPUs and its map behind those of the "
                         "entry before");
    std::string wrong =
        judgeGpus(index_.gpus()->data() + gpus, entry.gpus_count());
    if (wrong.empty())
      wrong = judgeMap(entry);
    if (!wrong.empty())
      return fail(place, wrong);
    EntryKey key = keyOf(index_, entry);
    if (e != 0 && !(last < key))
      return fail(place, last == key ? "a second entry for the same allocation"
                                     : "out of order");
    last = std::move(key);
    gpus += entry.gpus_count();
  }
  if (gpus != index_.gpus()->size())
    return fail("entries", "GPUs are left over");
  return true;
}

/// Returns the entry whose GPUs begin at `gpusBegin`; null if there is none.
const Entry *entryAt(const Bundle &index, uint32_t gpusBegin) {
  const auto &entries = *index.entries();
  const auto found = std::lower_bound(
      entries.begin(), entries.end(), gpusBegin,
      [](const Entry *e, uint32_t begin) { return e->gpus_begin() < begin; });
  return found != entries.end() && found->gpus_begin() == gpusBegin ? *found
                                                                    : nullptr;
}

bool IndexWalk::checkSurvivor(const std::string &place,
                              const Survivor &survivor) {
  const Entry &entry = survivor.entry();
  if (survivor.condition() == kWholeMachine ||
      survivor.condition() >= index_.conditions()->size())
    return fail(place, "condition ", survivor.condition(),
                ", expected one from 1 to ", index_.conditions()->size() - 1);
  const Entry *whole = entryAt(index_, entry.gpus_begin());
  if (!whole || whole->gpus_count() != entry.gpus_count())
    return fail(place, "expected the GPUs of an entry");
  if (entry.class_number() == kNoClass)
    return entry.map_begin() == 0 ||
           fail(place, "expected no map where there is no class");
  if (entry.class_number() >= index_.classes()->size())
    return fail(place,
                outOf("class", entry.class_number(), index_.classes()->size()));
  const bool isOld = entry.map_begin() < mapsEnd() &&
                     entry.map_begin() % index_.num_nodes() == 0;
  const bool isNew =
      entry.map_begin() == mapsEnd() &&
      index_.num_nodes() <= index_.node_maps()->size() - mapsEnd();
  if (!isOld && !isNew)
    return fail(place, "expected its map behind those before, or one of them");
  const std::string wrong = judgeMap(entry);
  return wrong.empty() || fail(place, wrong);
}

bool IndexWalk::checkSurvivors() {
  if (const auto *survivors = index_.survivors()) {
    if (!pay("survivors", survivors))
      return false;
    for (uint32_t s = 0; s < survivors->size(); ++s) {
      const Survivor &survivor = *survivors->Get(s);
      const std::string place = at("survivors", s);
      if (!checkSurvivor(place, survivor))
        return false;
      if (s != 0 && keyOf(*survivors->Get(s - 1)) >= keyOf(survivor))
        return fail(place, "out of order, or a second one");
    }
  }
  return mapsEnd() == index_.node_maps()->size() ||
         fail("node_maps", "some are left over");
}

} // namespace

std::string checkBundleRules(const Bundle &index, uint64_t indexBytes,
                             uint64_t piecesBytes) {
  return IndexWalk(index, indexBytes, piecesBytes).run();
}

EntryKey keyOf(const Bundle &index, const Entry &entry) {
  const uint16_t *gpus = index.gpus()->data() + entry.gpus_begin();
  return {entry.gpus_count(), {gpus, gpus + entry.gpus_count()}};
}

SurvivorKey keyOf(const Survivor &survivor) {
  return {survivor.condition(), survivor.entry().gpus_begin()};
}

std::string namedEnds(const Condition &condition) {
  return condition.id_a()->str() + ":" + condition.id_b()->str();
}

} // namespace blink::sched
