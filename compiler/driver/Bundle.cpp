//===- Bundle.cpp - schedules for many allocations ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Bundle.h"

#include "compiler/driver/BundlePlan.h"
#include "compiler/driver/ClassCompiler.h"
#include "compiler/packing/lp/Glpk.h"
#include "compiler/support/Error.h"
#include "compiler/support/Numbers.h"
#include "compiler/topology/AllocationList.h"
#include "schedules/BundleFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ThreadPool.h"

#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <set>

using namespace blink;

namespace {

using Members = std::vector<std::vector<uint8_t>>;

/// Returns `sets` as a text for parseAllocations: a size all of whose sets are
/// there as "2-4", and the sets of the other sizes one by one, by size.
std::string describe(std::vector<std::vector<int>> sets, int numGpus) {
  for (std::vector<int> &gpus : sets)
    llvm::sort(gpus);
  llvm::sort(sets, isSmallerSet);
  std::vector<std::string> words;
  int first = 0, last = 0; // the range of sizes that the last word names
  for (size_t begin = 0, end; begin < sets.size(); begin = end) {
    int size = static_cast<int>(sets[begin].size());
    for (end = begin; end < sets.size() && int(sets[end].size()) == size;)
      ++end;
    auto all = enumerateAllocations(numGpus, size, size);
    bool complete = all && all->size() == end - begin;
    if (!all)
      llvm::consumeError(all.takeError());
    if (!complete) {
      for (; begin < end; ++begin)
        words.push_back(joinNumbers(sets[begin]));
      continue;
    }
    if (first > 0 && last == size - 1)
      words.pop_back();
    else
      first = size;
    last = size;
    words.push_back(std::to_string(first) + "-" + std::to_string(last));
  }
  return llvm::join(words, "/");
}

/// Appends a node map in the form of the file.
void append(const NodeMap &map, std::vector<uint16_t> &numbers) {
  for (int node : map)
    numbers.push_back(node < 0 ? sched::kUnmapped
                               : static_cast<uint16_t>(node));
}

std::vector<uint16_t> narrow(const std::vector<int> &numbers) {
  return {numbers.begin(), numbers.end()};
}

/// Returns the members of a class, one per collective. They are empty if its
/// GPUs cannot all reach each other, as is that of a sendrecv if a failure has
/// left only paths over other ranks.
llvm::Expected<Members> compileClass(const Topology &topology,
                                     const BundleOptions &options,
                                     const AllocationClass &one,
                                     const std::vector<LinkEdit> &linkEdits) {
  CompileOptions each = options.each;
  each.gpus = one.gpus;
  each.linkEdits = linkEdits;
  llvm::Expected<DegradedTopology> degraded =
      degradeLinks(topology, each.linkEdits);
  if (!degraded)
    return degraded.takeError();
  each.linkEdits = degraded->edits; // recorded in a fixed order
  llvm::Expected<RankTopology> rankTopology =
      RankTopology::create(degraded->topology, one.gpus, each.links);
  if (!rankTopology)
    return rankTopology.takeError();
  Members members(options.collectives.size());
  if (rankTopology->stronglyConnectedRanks().size() > 1)
    return members;

  std::set<int> roots(one.leastRank.begin(), one.leastRank.end());
  auto compiler =
      ClassCompiler::create(topology, each, {roots.begin(), roots.end()});
  if (!compiler)
    return compiler.takeError();
  for (auto [member, collective] :
       llvm::zip_equal(members, options.collectives)) {
    if (one.machine > 0 && isPairwise(collective) &&
        llvm::errorToBool(PackingProblem{&*rankTopology, collective}.check()))
      continue;
    auto bytes = (*compiler)->compile(collective);
    if (!bytes)
      return makeError("allocation {0}: {1}: {2}", joinNumbers(one.gpus),
                       toString(collective), llvm::toString(bytes.takeError()));
    member = std::move(*bytes);
  }
  return members;
}

/// Returns the members of all classes, or the error of the first class that has
/// one.
llvm::Expected<std::vector<Members>>
compileClasses(const Topology &topology, const BundleOptions &options,
               const BundlePlan &plan, BundleWatcher watcher) {
  const std::vector<AllocationClass> &classes = plan.classes;
  std::vector<Members> members(classes.size());
  std::vector<std::string> errors(classes.size());
  std::atomic<bool> failed = false;
  auto compileOne = [&](size_t number) {
    if (failed)
      return;
    const AllocationClass &one = classes[number];
    std::vector<LinkEdit> edits = options.each.linkEdits;
    if (one.machine > 0) {
      std::string ends = endsOf(topology, plan.failures[one.machine - 1]);
      // A link with a limit can fail altogether: the failure replaces the
      // limit.
      llvm::erase_if(edits, [&](const LinkEdit &e) { return e.ends == ends; });
      edits.push_back({std::move(ends), std::nullopt, "--survive links"});
    }
    auto result = compileClass(topology, options, one, edits);
    if (result) {
      members[number] = std::move(*result);
      return;
    }
    errors[number] = llvm::toString(result.takeError());
    failed = true;
  };
  forEachInParallel(classes.size(), glpkIsPerThread() ? options.jobs : 1,
                    compileOne, watcher);
  for (const std::string &error : errors)
    if (!error.empty())
      return makeError(error);
  return members;
}

/// Refuses indices beyond the limit of FlatBuffers, 2 GiB: there the builder
/// would abort the process.
llvm::Error checkSize(const Topology &topology, const BundlePlan &plan) {
  constexpr uint64_t kMostNumbers = uint64_t(1) << 29; // 2 bytes each: 1 GiB
  uint64_t maps = plan.allocations.size() + plan.survivors.size();
  for (const AllocationClass &one : plan.classes)
    maps += one.symmetryTo.size();
  if (maps * (topology.nodes.size() + topology.gpus().size()) < kMostNumbers)
    return llvm::Error::success();
  return makeError(
      "{0} allocations in {1} classes are too many for one bundle of a machine "
      "of {2} nodes; name fewer, and make several",
      plan.allocations.size(), plan.classes.size(), topology.nodes.size());
}

/// Collects node maps in the form of the file.
class MapWriter {
public:
  /// Returns where the map begins. A map that was added before is reused: a map
  /// onto an allocation may serve it under several conditions.
  uint32_t add(const NodeMap &map) {
    auto [place, isNew] =
        places_.try_emplace(map, static_cast<uint32_t>(numbers.size()));
    if (isNew)
      append(map, numbers);
    return place->second;
  }

  std::vector<uint16_t> numbers;

private:
  std::map<NodeMap, uint32_t> places_;
};

std::vector<uint8_t> writeBundle(const Topology &degraded,
                                 const sched::Settings &settings,
                                 const BundleOptions &options,
                                 const BundlePlan &plan,
                                 std::vector<Members> membersOf) {
  flatbuffers::FlatBufferBuilder builder;
  Members members; // all of them, in order
  uint64_t offset = 0;
  std::vector<flatbuffers::Offset<sched::AllocationClass>> classes;
  for (auto [one, own] : llvm::zip_equal(plan.classes, membersOf)) {
    std::vector<sched::Piece> places;
    for (std::vector<uint8_t> &bytes : own) {
      places.emplace_back(offset, bytes.size());
      offset += bytes.size();
      members.push_back(std::move(bytes));
    }
    std::vector<uint16_t> gpus = narrow(one.gpus),
                          roots = narrow(one.leastRank);
    std::vector<uint16_t> rootMaps;
    for (const NodeMap &map : one.symmetryTo)
      append(map, rootMaps);
    classes.push_back(sched::CreateAllocationClassDirect(
        builder, static_cast<uint16_t>(one.machine), &gpus, &places, &roots,
        &rootMaps));
  }

  MapWriter maps;
  std::vector<sched::Entry> entries;
  std::vector<uint16_t> gpus;
  for (const ClassifiedAllocation &allocation : plan.allocations) {
    entries.emplace_back(static_cast<uint32_t>(gpus.size()),
                         static_cast<uint32_t>(allocation.gpus.size()),
                         static_cast<uint32_t>(allocation.classIndex),
                         maps.add(allocation.map));
    llvm::append_range(gpus, narrow(allocation.gpus));
  }
  std::vector<sched::Survivor> survivors;
  for (const PlannedSurvivor &one : plan.survivors) {
    const sched::Entry &whole = entries[one.allocation];
    survivors.emplace_back(
        sched::Entry(whole.gpus_begin(), whole.gpus_count(),
                     one.classified
                         ? static_cast<uint32_t>(one.classified->classIndex)
                         : sched::kNoClass,
                     one.classified ? maps.add(one.classified->map) : 0),
        static_cast<uint32_t>(one.condition));
  }
  std::vector<uint16_t> gpuNodes = narrow(degraded.gpus());
  std::vector<flatbuffers::Offset<sched::Condition>> conditions = {
      sched::CreateConditionDirect(builder, "")};
  for (NodePair ends : plan.failures)
    conditions.push_back(sched::CreateConditionDirect(
        builder, ("--without-link " + endsOf(degraded, ends)).c_str(),
        static_cast<uint16_t>(ends.first), static_cast<uint16_t>(ends.second),
        degraded.nodes[ends.first].id.c_str(),
        degraded.nodes[ends.second].id.c_str()));
  auto provenance =
      sched::writeProvenance(builder, "blinkc " BLINK_VERSION_STRING, settings);
  auto root = sched::CreateBundleDirect(
      builder, provenance, degraded.name.c_str(), degraded.fingerprint(),
      static_cast<uint32_t>(degraded.nodes.size()), &gpuNodes,
      &options.collectives, &conditions, &classes, &entries, &gpus,
      &maps.numbers, survivors.empty() ? nullptr : &survivors);
  return sched::sealBundle(builder, root, std::move(members));
}

} // namespace

sched::Settings BundleOptions::settings(const Topology &topology) const {
  std::vector<llvm::StringRef> words;
  for (Collective collective : collectives)
    words.push_back(toString(collective));
  sched::Settings settings = {
      {"allocations",
       describe(allocations, static_cast<int>(topology.gpus().size()))},
      {"collectives", llvm::join(words, ",")}};
  llvm::append_range(settings, each.commonSettings());
  if (surviveLinks || surviveGpus)
    settings.push_back(
        {"survive", std::string(surviveLinks ? "links" : "") +
                        (surviveLinks && surviveGpus ? "," : "") +
                        (surviveGpus ? "gpus" : "")});
  return settings;
}

void blink::forEachInParallel(size_t count, unsigned jobs,
                              llvm::function_ref<void(size_t)> body,
                              BundleWatcher watcher) {
  std::mutex mutex;
  size_t done = 0;
  std::exception_ptr failure;
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(jobs));
  for (size_t i = count; i-- > 0;)
    pool.async([&, i] {
      // The pool would swallow the exception, and a class that was not
      // compiled, or not proved, would seem to be done.
      try {
        body(i);
      } catch (...) {
        std::lock_guard<std::mutex> lock(mutex);
        failure = std::current_exception();
        return;
      }
      std::lock_guard<std::mutex> lock(mutex);
      watcher(++done, count);
    });
  pool.wait();
  if (failure)
    std::rethrow_exception(failure);
}

llvm::Expected<std::vector<uint8_t>>
blink::compileBundle(const Topology &topology, const BundleOptions &options,
                     BundleWatcher watcher) {
  llvm::Expected<DegradedTopology> degraded =
      degradeLinks(topology, options.each.linkEdits);
  if (!degraded)
    return degraded.takeError();
  if (degraded->topology.nodes.size() >= sched::kUnmapped)
    return makeError("{0} nodes; a bundle is for machines of fewer than 65535",
                     degraded->topology.nodes.size());
  BundleOptions ordered = options;
  ordered.each.linkEdits = degraded->edits; // recorded in a fixed order
  llvm::Expected<BundlePlan> plan = planBundle(degraded->topology, ordered);
  if (!plan)
    return plan.takeError();
  if (llvm::Error error = checkSize(degraded->topology, *plan))
    return error;
  auto members = compileClasses(topology, ordered, *plan, watcher);
  if (!members)
    return members.takeError();
  if (llvm::all_of(*members, [](const Members &own) { return own[0].empty(); }))
    return makeError(
        "in none of the allocations all GPUs can reach each other "
        "over links of {0}; {1}",
        describeKinds(options.each.links),
        allowMoreKinds(options.each.links, "choose other allocations"));
  return writeBundle(degraded->topology, ordered.settings(topology), options,
                     *plan, std::move(*members));
}
