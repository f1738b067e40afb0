//===- BundlePlan.cpp - contents of a bundle ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/BundlePlan.h"

#include "compiler/support/Error.h"
#include "compiler/topology/DegradeLinks.h"
#include "compiler/topology/fabric/RankTopology.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace blink;

/// The whole machine and its failures together: conditions have 16-bit numbers.
static constexpr size_t kMostConditions = size_t(1) << 16;

/// Returns, for each of the plan's allocations, the failures that matter to it,
/// or none if its GPUs cannot reach each other even on the whole machine.
/// `classes` are the classes of the allocations.
static llvm::Expected<std::vector<std::vector<NodePair>>>
failuresOf(const Topology &topology, LinkKindSet kinds,
           const std::vector<AllocationClass> &classes,
           const BundlePlan &plan) {
  std::vector<bool> connected;
  for (const AllocationClass &one : classes) {
    llvm::Expected<RankTopology> rankTopology =
        RankTopology::create(topology, one.gpus, kinds);
    if (!rankTopology)
      return rankTopology.takeError();
    connected.push_back(rankTopology->stronglyConnectedRanks().size() == 1);
  }
  std::vector<std::vector<int>> gpus;
  for (const ClassifiedAllocation &allocation : plan.allocations)
    gpus.push_back(allocation.gpus);
  auto pairs = pairsThatMatter(topology, kinds, gpus);
  if (pairs)
    for (auto [allocation, own] : llvm::zip_equal(plan.allocations, *pairs))
      if (!connected[allocation.classIndex])
        own.clear();
  return pairs;
}

/// Adds a condition for each pair of linked nodes, and the survivors of each.
static llvm::Error addSurvivors(const Topology &topology,
                                const BundleOptions &options,
                                AllocationClassifier &classifier,
                                BundlePlan &plan) {
  plan.failures = linkedPairs(topology);
  if (plan.failures.size() >= kMostConditions)
    return makeError(
        "links join {0} pairs of nodes; a bundle can survive the failure of "
        "fewer than {1}",
        plan.failures.size(), kMostConditions);
  auto matters =
      failuresOf(topology, options.each.links, classifier.classes(), plan);
  if (!matters)
    return matters.takeError();
  std::set<std::vector<int>> asked;
  for (std::vector<int> gpus : options.allocations) {
    llvm::sort(gpus);
    asked.insert(std::move(gpus));
  }
  for (size_t number = 0; number < plan.failures.size(); ++number) {
    const NodePair failed = plan.failures[number];
    const size_t first = plan.survivors.size();
    std::vector<std::vector<int>> allocations;
    for (size_t i = 0; i < plan.allocations.size(); ++i) {
      if (!llvm::binary_search((*matters)[i], failed))
        continue;
      plan.survivors.push_back({number + 1, i, std::nullopt});
      if (asked.count(plan.allocations[i].gpus))
        allocations.push_back(plan.allocations[i].gpus);
    }
    Topology left = topology;
    removeLinks(left, failed.first, failed.second);
    auto classified = classifier.classify(left, std::move(allocations));
    if (!classified)
      return classified.takeError();
    // Survivors and classified allocations are in the same order.
    auto next = classified->begin();
    for (size_t s = first; s < plan.survivors.size(); ++s)
      if (next != classified->end() &&
          next->gpus == plan.allocations[plan.survivors[s].allocation].gpus)
        plan.survivors[s].classified = std::move(*next++);
  }
  return llvm::Error::success();
}

llvm::Expected<BundlePlan> blink::planBundle(const Topology &topology,
                                             const BundleOptions &options) {
  AllocationClassifier classifier(options.each.links);
  auto allocations = classifier.classify(
      topology, options.surviveGpus ? withLostGpus(options.allocations)
                                    : options.allocations);
  if (!allocations)
    return allocations.takeError();
  BundlePlan plan;
  plan.allocations = std::move(*allocations);
  if (options.surviveLinks)
    if (llvm::Error error = addSurvivors(topology, options, classifier, plan))
      return error;
  plan.classes = classifier.classes();
  return plan;
}
