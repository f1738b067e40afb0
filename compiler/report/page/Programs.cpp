//===- Programs.cpp - programs as a page shows them -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/page/Programs.h"

#include "compiler/machines/MachineTypes.h"
#include "compiler/machines/Recognize.h"
#include "compiler/report/PredictedTime.h"
#include "compiler/target/FoldProgramFile.h"
#include "compiler/target/ScheduleTopology.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace blink;

/// Limits, as each improvement solves a linear program that has lost the
/// machine's symmetry.
static constexpr size_t kMostImprovements = 4;
static constexpr int kMostImprovedRanks = 16;

std::vector<uint64_t> PageData::sizes() {
  std::vector<uint64_t> sizes;
  for (uint64_t bytes = 64; bytes <= 1ull << 30; bytes *= 2)
    sizes.push_back(bytes);
  return sizes;
}

PageMachine blink::pageMachine(const Topology &topology) {
  PageMachine machine{topology, {}, {}};
  if (std::optional<Recognition> type = recognize(topology)) {
    machine.type = type->type;
    machine.gpusOfType = type->gpus;
    // Topologies of schedules have no description.
    if (topology.description.empty())
      machine.topology.description = findMachineType(type->type)->description;
  }
  return machine;
}

static llvm::Error addImprovements(const PackingProblem &problem,
                                   const PackingCertificate &certificate,
                                   const WorkWatcher &watcher,
                                   PageProgram &page) {
  const int ranks = problem.rankTopology->numRanks();
  if (ranks < 2 || ranks > kMostImprovedRanks)
    return llvm::Error::success();
  auto more = tryMoreLinks(problem, certificate, kMostImprovements, watcher);
  if (!more)
    return more.takeError();
  auto others = tryNewLinks(problem, certificate, kMostImprovements, watcher);
  if (!others)
    return others.takeError();
  page.improvements = std::move(*more);
  llvm::append_range(page.improvements, *others);
  llvm::stable_sort(page.improvements,
                    [](const Improvement &a, const Improvement &b) {
                      return a.bound > b.bound;
                    });
  return llvm::Error::success();
}

llvm::Expected<PageProgram> blink::pageProgram(const sched::Schedule &file,
                                               const sched::Program &program,
                                               const PageDetail &detail,
                                               const WorkWatcher &watcher) {
  PageProgram page;
  page.explanation = explainProgram(file, program);
  const std::vector<uint64_t> sizes = PageData::sizes();
  const auto &variants = *program.variants();
  for (size_t i = 0; i < variants.size(); ++i) {
    const sched::Variant &variant = *variants[unsigned(i)];
    const FoldProgram folds = readProgram(file, program, variant);
    PageVariant &shown = page.variants.emplace_back();
    shown.summary = page.explanation.summary.variants[i];
    shown.oneHop = page.explanation.summary.isOneHop(shown.summary);
    for (uint64_t bytes : sizes)
      shown.times.push_back(predictTime(file, program, variant, bytes));
    const bool last = i + 1 == variants.size();
    if (last || detail.allVariants)
      shown.forest = forestOf(folds);
    if (last && detail.replay) {
      auto replay = replayOf(folds, variant);
      if (replay)
        page.replay = std::move(*replay);
      else // the rest of the page does not need it
        page.explanation.reasons.push_back("No replay: " +
                                           llvm::toString(replay.takeError()));
    }
  }
  const Summary &summary = page.explanation.summary;
  llvm::Expected<RankTopology> rankTopology =
      RankTopology::create(topologyOf(file), summary.gpus,
                           LinkKindSet(file.link_kinds()), summary.relays);
  if (!rankTopology)
    return rankTopology.takeError();
  page.rings = findRings(*rankTopology, summary.collective, sizes);
  const auto &prices = *program.certificate()->prices();
  PackingProblem problem{&*rankTopology, summary.collective,
                         summary.root.value_or(0)};
  if (summary.inSwitch)
    problem.switches = switchStars(*rankTopology);
  if (llvm::Error error = addImprovements(
          problem, {{prices.begin(), prices.end()}, summary.bound}, watcher,
          page))
    return error;
  return page;
}

llvm::Expected<PageProgram> blink::pageBound(const PackingProblem &problem,
                                             const WorkWatcher &watcher) {
  watcher.begin(llvm::formatv("bound of {0}",
                              sched::EnumNameCollective(problem.collective))
                    .str());
  llvm::Expected<PackingCertificate> certificate =
      boundRate(problem, watcher.solver);
  if (!certificate)
    return certificate.takeError();
  PageProgram page;
  page.explanation = explainBound(problem, *certificate);
  page.rings =
      findRings(*problem.rankTopology, problem.collective, PageData::sizes());
  if (llvm::Error error = addImprovements(problem, *certificate, watcher, page))
    return error;
  return page;
}
