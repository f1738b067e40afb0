//===- Explanation.cpp - why a schedule is as fast as it is ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/Explanation.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace blink;

/// Prices this far below the highest are numerical dust.
static constexpr double kDust = 1e-7;

/// GPU nodes that the job does not have: they neither relay nor take part.
static std::set<uint32_t> foreignGpus(const sched::Schedule &file,
                                      const Summary &summary) {
  std::set<uint32_t> foreign;
  int gpu = 0;
  for (uint32_t node = 0; node < file.topology()->nodes()->size(); ++node)
    if (file.topology()->nodes()->Get(node)->kind() == NodeKind::gpu)
      if (!llvm::is_contained(summary.gpus, gpu++))
        foreign.insert(node);
  return foreign;
}

static void reportLinks(const sched::Schedule &file,
                        const sched::Program &program,
                        Explanation &explanation) {
  const sched::Topology &topology = *file.topology();
  LinkKindSet usable(file.link_kinds());
  std::set<uint32_t> foreign = foreignGpus(file, explanation.summary);
  const auto &prices = *program.certificate()->prices();
  double highest = 0;
  for (double price : prices)
    highest = std::max(highest, price);
  std::vector<double> loads = linkLoads(file, program);
  std::map<LinkKind, KindReport> kinds;
  double traffic = 0;
  for (uint32_t i = 0; i < topology.links()->size(); ++i) {
    const sched::Link &link = *topology.links()->Get(i);
    if (!usable.contains(link.kind()) || foreign.count(link.from()) ||
        foreign.count(link.to()))
      continue;
    double price = highest > 0 ? prices.Get(i) / highest : 0;
    explanation.links.push_back(
        {topology.nodes()->Get(link.from())->id()->str(),
         topology.nodes()->Get(link.to())->id()->str(), link.kind(),
         link.bandwidth(), loads[i], price < kDust ? 0 : price});
    KindReport &kind =
        kinds.try_emplace(link.kind(), KindReport{link.kind(), 0, 0, 0})
            .first->second;
    kind.bandwidth += link.bandwidth();
    kind.load += loads[i];
    traffic += loads[i];
  }
  for (auto &[kind, report] : kinds)
    if (report.load > 0) {
      report.percentOfTraffic = 100 * report.load / traffic;
      explanation.kinds.push_back(report);
    }
}

/// Joins nodes over links that are not scarce, in both directions.
static void findGroups(const sched::Schedule &file,
                       const sched::Program &program,
                       Explanation &explanation) {
  std::map<std::pair<std::string, std::string>, bool> freeLinks;
  for (const LinkReport &link : explanation.links)
    if (link.price == 0)
      freeLinks[{link.from, link.to}] = true;
  llvm::EquivalenceClasses<std::string> joined;
  for (const auto &[ends, unused] : freeLinks)
    if (freeLinks.count({ends.second, ends.first}))
      joined.unionSets(ends.first, ends.second);

  std::vector<std::string> gpuIds;
  for (const sched::Node *node : *file.topology()->nodes())
    if (node->kind() == NodeKind::gpu)
      gpuIds.push_back(node->id()->str());
  std::map<std::string, std::vector<int>> groups;
  for (int gpu : explanation.summary.gpus) {
    auto leader = joined.findLeader(gpuIds[gpu]);
    groups[leader == joined.member_end() ? gpuIds[gpu] : *leader].push_back(
        gpu);
  }
  for (auto &[leader, members] : groups) {
    llvm::sort(members);
    explanation.groups.push_back(members);
  }
  llvm::sort(explanation.groups, [](const auto &a, const auto &b) {
    return std::make_pair(-int(a.size()), a) <
           std::make_pair(-int(b.size()), b);
  });
}

static std::string braces(const std::vector<int> &gpus) {
  std::vector<std::string> words;
  for (int gpu : gpus)
    words.push_back(std::to_string(gpu));
  return "{" + llvm::join(words, ",") + "}";
}

static void giveReasons(Explanation &explanation) {
  const Summary &summary = explanation.summary;
  std::vector<std::string> &reasons = explanation.reasons;
  if (std::isinf(summary.bound)) {
    reasons.push_back("One GPU: the result is a copy, and no link limits it.");
    return;
  }
  size_t scarce = 0, unequal = 0;
  for (const LinkReport &link : explanation.links) {
    if (link.price == 0)
      continue;
    ++scarce;
    unequal += link.price < 1 - 1e-6;
    explanation.scarceBandwidth += link.bandwidth;
  }
  reasons.push_back(
      llvm::formatv("{0} of {1} links are scarce, {2:F3} GB/s together: more "
                    "bandwidth anywhere else would not help.",
                    scarce, explanation.links.size(),
                    explanation.scarceBandwidth)
          .str());
  if (unequal == 0) {
    explanation.crossings = explanation.scarceBandwidth / summary.bound;
    reasons.push_back(
        llvm::formatv(
            "Every byte of the buffer must cross them at least {0:F2} "
            "times, whatever the schedule: {1:F3} / {0:F2} = {2:F3} "
            "GB/s is the most that is possible.",
            explanation.crossings, explanation.scarceBandwidth, summary.bound)
            .str());
  } else {
    reasons.push_back(
        llvm::formatv(
            "They are not equally scarce; weighed by their prices they "
            "allow {0:F3} GB/s and no more.",
            summary.bound)
            .str());
  }
  if (explanation.groups.size() > 1 &&
      explanation.groups.size() < summary.gpus.size()) {
    std::vector<std::string> words;
    for (const std::vector<int> &group : explanation.groups)
      words.push_back(braces(group));
    reasons.push_back("They separate the GPUs into " + llvm::join(words, " ") +
                      ".");
  } else if (explanation.groups.size() == summary.gpus.size()) {
    reasons.push_back("They separate every GPU from every other.");
  }
}

Explanation blink::explainProgram(const sched::Schedule &file,
                                  const sched::Program &program) {
  Explanation explanation;
  explanation.summary = summarize(file, program);
  reportLinks(file, program, explanation);
  findGroups(file, program, explanation);
  giveReasons(explanation);
  return explanation;
}
