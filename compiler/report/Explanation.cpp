//===- Explanation.cpp - why a schedule is as fast as it is ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/Explanation.h"

#include "compiler/report/PredictedTime.h"
#include "compiler/simulate/ShortTimes.h"
#include "compiler/target/FoldProgramFile.h"
#include "compiler/target/ScheduleTopology.h"
#include "compiler/topology/AllocationList.h"

#include "schedules/Provenance.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <map>
#include <optional>
#include <set>

using namespace blink;

/// The input of an explanation, with or without a schedule.
namespace {
struct ExplanationInput {
  const Topology &topology;
  LinkKindSet kinds;
  std::vector<double> prices; ///< by link
  std::vector<double> loads;  ///< by link; empty without a schedule
};
} // namespace

/// Returns the nodes of GPUs outside the job: they neither take part nor relay.
static std::set<int> foreignGpus(const ExplanationInput &input,
                                 const Summary &summary) {
  std::set<int> foreign;
  std::vector<int> gpus = input.topology.gpus();
  for (int gpu = 0; gpu < static_cast<int>(gpus.size()); ++gpu)
    if (!llvm::is_contained(summary.gpus, gpu) &&
        !llvm::is_contained(summary.relays, gpu))
      foreign.insert(gpus[gpu]);
  return foreign;
}

static void reportLinks(const ExplanationInput &input,
                        Explanation &explanation) {
  const Topology &topology = input.topology;
  std::set<int> foreign = foreignGpus(input, explanation.summary);
  double highest = 0;
  for (double price : input.prices)
    highest = std::max(highest, price);
  std::map<LinkKind, KindReport> kinds;
  double traffic = 0;
  for (size_t i = 0; i < topology.links.size(); ++i) {
    const Link &link = topology.links[i];
    if (!input.kinds.contains(link.kind) || foreign.count(link.from) ||
        foreign.count(link.to))
      continue;
    double price = highest > 0 ? input.prices[i] / highest : 0;
    double load = input.loads.empty() ? 0 : input.loads[i];
    explanation.links.push_back(
        {topology.nodes[link.from].id, topology.nodes[link.to].id, link.kind,
         link.bandwidth, load, price < PackingCertificate::kDust ? 0 : price});
    KindReport &kind =
        kinds.try_emplace(link.kind, KindReport{link.kind, 0, 0, 0})
            .first->second;
    kind.bandwidth += link.bandwidth;
    kind.load += load;
    traffic += load;
  }
  for (auto &[kind, report] : kinds)
    if (report.load > 0) {
      report.percentOfTraffic = 100 * report.load / traffic;
      explanation.kinds.push_back(report);
    }
}

/// Returns the nodes that `from` reaches over links of which `next` has the
/// other ends.
static std::set<std::string>
reachedFrom(const std::string &from,
            const std::multimap<std::string, std::string> &next) {
  std::set<std::string> reached = {from};
  std::vector<std::string> work = {from};
  while (!work.empty()) {
    const auto [begin, end] = next.equal_range(work.back());
    work.pop_back();
    for (auto link = begin; link != end; ++link)
      if (reached.insert(link->second).second)
        work.push_back(link->second);
  }
  return reached;
}

/// Joins GPUs that reach each other over links that are not scarce.
static void findGroups(const ExplanationInput &input,
                       Explanation &explanation) {
  std::multimap<std::string, std::string> onward, back;
  for (const LinkReport &link : explanation.links)
    if (link.price == 0) {
      onward.emplace(link.from, link.to);
      back.emplace(link.to, link.from);
    }
  std::vector<int> gpuNodes = input.topology.gpus();
  const auto idOf = [&](int gpu) -> const std::string & {
    return input.topology.nodes[gpuNodes[gpu]].id;
  };
  std::set<int> left(explanation.summary.gpus.begin(),
                     explanation.summary.gpus.end());
  while (!left.empty()) {
    const std::string &first = idOf(*left.begin());
    const std::set<std::string> to = reachedFrom(first, onward);
    const std::set<std::string> from = reachedFrom(first, back);
    std::vector<int> members;
    for (int gpu : left)
      if (to.count(idOf(gpu)) && from.count(idOf(gpu)))
        members.push_back(gpu);
    for (int gpu : members)
      left.erase(gpu);
    explanation.groups.push_back(std::move(members));
  }
  llvm::sort(explanation.groups, [](const auto &a, const auto &b) {
    return std::make_pair(-int(a.size()), a) <
           std::make_pair(-int(b.size()), b);
  });
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
  reasons.push_back(llvm::formatv(
      "{0} of {1} links are scarce, {2:F3} GB/s together: more "
      "bandwidth anywhere else would not help.",
      scarce, explanation.links.size(), explanation.scarceBandwidth));
  if (unequal == 0) {
    explanation.crossings = explanation.scarceBandwidth / summary.bound;
    reasons.push_back(llvm::formatv(
        "Every byte of the buffer must cross them at least {0:F2} "
        "times, whatever the schedule: {1:F3} / {0:F2} = {2:F3} "
        "GB/s is the most that is possible.",
        explanation.crossings, explanation.scarceBandwidth, summary.bound));
  } else {
    reasons.push_back(llvm::formatv(
        "They are not equally scarce; weighed by their prices they "
        "allow {0:F3} GB/s and no more.",
        summary.bound));
  }
  if (explanation.groups.size() > 1 &&
      explanation.groups.size() < summary.gpus.size()) {
    constexpr size_t kMostShown = 16;
    std::vector<std::string> words;
    for (const std::vector<int> &group :
         llvm::ArrayRef(explanation.groups).take_front(kMostShown))
      words.push_back("{" + formatGpus(group) + "}");
    if (explanation.groups.size() > kMostShown)
      words.push_back(llvm::formatv("and {0} more groups",
                                    explanation.groups.size() - kMostShown));
    reasons.push_back("They separate the GPUs into " + llvm::join(words, " ") +
                      ".");
  } else if (explanation.groups.size() == summary.gpus.size()) {
    reasons.push_back("They separate every GPU from every other.");
  }
}

static Explanation explain(const ExplanationInput &input,
                           const Summary &summary) {
  Explanation explanation;
  explanation.summary = summary;
  reportLinks(input, explanation);
  findGroups(input, explanation);
  giveReasons(explanation);
  return explanation;
}

static std::string reasonOf(const CrossingPoint &point, bool simulated,
                            const MessageTime &before,
                            const MessageTime &after) {
  double later = after.startAt(point.bytes) - before.startAt(point.bytes);
  return llvm::formatv("{0}: {1:F1} us instead of {2:F1}{3}; it starts {4:F1} "
                       "us {5} and takes {6:F3} ns a byte instead of {7:F3}",
                       formatBytes(point.bytes), point.after, point.before,
                       simulated ? "" : " by the model", std::abs(later),
                       later < 0 ? "earlier" : "later", 1e3 * after.gapPerByte,
                       1e3 * before.gapPerByte);
}

/// Returns what a message of `bytes` takes in a simulation, or std::nullopt if
/// that would take too long.
static std::optional<double> simulatedTime(const sched::Schedule &file,
                                           const sched::Program &program,
                                           const sched::Variant &variant,
                                           uint64_t bytes) {
  llvm::Expected<FoldProgram> folds = readProgramAsItIs(file, program, variant);
  if (!folds) {
    llvm::consumeError(folds.takeError());
    return std::nullopt;
  }
  const sched::ChunkSizes chunks = sched::chunksOf(variant);
  if (simulatedFolds(*folds, chunks, bytes, variant.protocol()) >
      kSoonSimulated)
    return std::nullopt;
  llvm::Expected<double> time =
      shortTime(*folds, chunks, bytes, variant.protocol());
  if (!time) {
    llvm::consumeError(time.takeError());
    return std::nullopt;
  }
  return *time;
}

static std::vector<CrossingPoint>
findCrossingPoints(const sched::Schedule &file, const sched::Program &program) {
  std::vector<CrossingPoint> points;
  const sched::Variant *last = nullptr;
  MessageTime before = {};
  for (const sched::Variant *variant : *program.variants()) {
    MessageTime after = modelTime(file, program, *variant);
    if (const uint64_t bytes = last ? variant->min_bytes() : 0) {
      const std::optional<double> first =
          simulatedTime(file, program, *last, bytes);
      const std::optional<double> next =
          simulatedTime(file, program, *variant, bytes);
      const bool simulated = first && next;
      CrossingPoint point = {bytes,
                             simulated ? *first : before.at(bytes),
                             simulated ? *next : after.at(bytes),
                             {}};
      point.reason = reasonOf(point, simulated, before, after);
      points.push_back(std::move(point));
    }
    before = after;
    last = variant;
  }
  return points;
}

/// Adds a reason if lanes, not links, limit the time of large messages.
static void reportLanes(const sched::Schedule &file,
                        const sched::Program &program,
                        Explanation &explanation) {
  const sched::Variant &large =
      *program.variants()->Get(program.variants()->size() - 1);
  double rate =
      1 / (modelTime(file, program, large).gapPerByte * kBytesPerMicrosecond);
  if (!(rate < explanation.summary.links * (1 - 1e-6)))
    return;
  explanation.reasons.push_back(
      llvm::formatv("A lane, which is a thread block on a GPU, is taken to "
                    "move {0} GB/s; the busiest one lets {1:F3} GB/s through.",
                    costsOf(large.protocol()).laneRate, rate));
}

/// Adds reasons that state the windows of network channels and how many ranks
/// these channels connect.
static void reportWindows(const sched::Schedule &file,
                          const sched::Program &program,
                          Explanation &explanation) {
  const sched::Variant &large =
      *program.variants()->Get(program.variants()->size() - 1);
  size_t channels = 0;
  int least = INT_MAX, most = 0;
  for (const FoldProgram::Channel &channel :
       readProgram(file, program, large).channels) {
    if (!channel.leavesMachine())
      continue;
    ++channels;
    least = std::min(least, channel.inFlight());
    most = std::max(most, channel.inFlight());
  }
  if (channels == 0)
    return;
  explanation.reasons.push_back(llvm::formatv(
      "{0} of {1} channels leave their machine, with {2} chunks of up to {3} "
      "on their way at a time: windows in proportion to their trees' shares.",
      channels, large.channels()->size(),
      least == most ? llvm::formatv("{0}", most).str()
                    : llvm::formatv("{0} to {1}", least, most).str(),
      formatBytes(large.chunk_bytes())));
  explanation.reasons.push_back(llvm::formatv(
      "Across the network a rank has channels with {0} {1} at most; {2} pairs "
      "of ranks are connected.",
      explanation.summary.networkPeers,
      explanation.summary.networkPeers == 1 ? "other" : "others",
      explanation.summary.connections));
}

/// Adds a reason that explains the effect of phases, if they were asked for.
static void reportPhases(const sched::Schedule &file,
                         Explanation &explanation) {
  for (const sched::Setting &setting : sched::settingsOf(*file.provenance()))
    if (setting.name == "phases")
      explanation.reasons.push_back(
          "Asked for in three phases: each tree enters and leaves a server "
          "through one rank. Trees without this are never slower by the links, "
          "and the bound is theirs.");
}

/// Adds a reason that explains the effect of an order of sums.
static void reportOrder(sched::ReductionOrder order, Explanation &explanation) {
  const char *promise = nullptr;
  switch (order) {
  case sched::ReductionOrder::none:
    return;
  case sched::ReductionOrder::invariant:
    promise = "in one order: every element is added up alike, whatever the "
              "message's size.";
    break;
  case sched::ReductionOrder::rank:
    promise = "in the order of ranks: every element is added up as ((r0 + r1) "
              "+ r2) + ...";
    break;
  }
  explanation.reasons.push_back(
      llvm::formatv("Asked for {0} Trees without this are never slower by the "
                    "links, and the bound is theirs.",
                    promise));
}

/// Adds a reason that states what it costs to round sums of narrow types once.
static void reportAccumulate(Explanation &explanation) {
  const Summary &summary = explanation.summary;
  if (summary.accumulate == sched::Accumulation::none)
    return;
  explanation.reasons.push_back(llvm::formatv(
      "Asked for sums of types of 16 and 8 bits that are rounded once: what is "
      "the sum of some ranks travels as float32, two or four times the bytes. "
      "So the links sustain {0} of 16 bits and {1} of 8 bits, {2} of all "
      "others; contributions and results travel as they are.",
      formatRate(summary.links16), formatRate(summary.links8),
      formatRate(summary.links)));
}

Explanation blink::explainProgram(const sched::Schedule &file,
                                  const sched::Program &program) {
  Topology topology = topologyOf(file);
  const auto &prices = *program.certificate()->prices();
  ExplanationInput input{topology,
                         LinkKindSet(file.link_kinds()),
                         {prices.begin(), prices.end()},
                         linkLoads(file, program)};
  Explanation explanation = explain(input, summarize(file, program));
  explanation.crossingPoints = findCrossingPoints(file, program);
  reportLanes(file, program, explanation);
  reportWindows(file, program, explanation);
  reportPhases(file, explanation);
  reportOrder(program.order(), explanation);
  reportAccumulate(explanation);
  return explanation;
}

Explanation blink::explainBound(const PackingProblem &problem,
                                const PackingCertificate &certificate) {
  const RankTopology &rankTopology = *problem.rankTopology;
  Summary summary;
  summary.topology = rankTopology.topology().name;
  summary.collective = problem.collective;
  summary.gpus = rankTopology.gpus();
  summary.relays = rankTopology.relays();
  if (isRooted(problem.collective))
    summary.root = problem.root;
  summary.bound = certificate.bound;
  return explain({rankTopology.topology(),
                  rankTopology.linkKinds(),
                  certificate.prices,
                  {}},
                 summary);
}

llvm::Expected<double> blink::boundOfLinks(const sched::Schedule &file,
                                           const sched::Program &program) {
  const ProgramKey key = ProgramKey::of(program);
  llvm::Expected<RankTopology> rankTopology = RankTopology::create(
      topologyOf(file), key.gpus, LinkKindSet(file.link_kinds()), key.relays);
  if (!rankTopology)
    return rankTopology.takeError();
  llvm::Expected<PackingCertificate> certificate =
      boundRate({&*rankTopology, key.collective, key.root.value_or(0)});
  if (!certificate)
    return certificate.takeError();
  return certificate->bound;
}
