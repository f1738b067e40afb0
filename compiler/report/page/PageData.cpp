//===- PageData.cpp - the data of blinkc report's page --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/page/PageData.h"

#include "compiler/report/RecordedEdits.h"
#include "compiler/report/page/Programs.h"
#include "compiler/support/Numbers.h"
#include "compiler/target/ScheduleTopology.h"

#include "llvm/Support/FormatVariadic.h"

using namespace blink;

llvm::Expected<PageData> blink::pageOf(const Topology &topology,
                                       const WorkWatcher &watcher) {
  constexpr size_t kManyGpus = 16; // beyond which a page has one bound only
  PageData page;
  page.title = topology.name;
  page.machines.push_back(pageMachine(topology));
  const size_t numGpus = topology.gpus().size();
  llvm::Expected<RankTopology> ranks =
      RankTopology::create(topology, firstNumbers(numGpus), LinkKindSet::all());
  if (!ranks)
    return ranks.takeError();
  for (Collective collective : sched::EnumValuesCollective()) {
    if (collective == Collective::sendrecv ||
        (numGpus > kManyGpus && collective != Collective::allreduce))
      continue;
    const PackingProblem problem{&*ranks, collective, 0};
    if (llvm::Error error = problem.check()) {
      page.notes.push_back(llvm::toString(std::move(error)));
      break;
    }
    llvm::Expected<PageProgram> bound = pageBound(problem, watcher);
    if (!bound)
      return bound.takeError();
    page.programs.push_back(std::move(*bound));
  }
  return page;
}

llvm::Expected<PageData> blink::pageOf(const sched::Schedule &file,
                                       const WorkWatcher &watcher) {
  constexpr size_t kMostPrograms = 64;
  PageData page;
  page.title = file.topology()->name()->str();
  page.machines.push_back(pageMachine(topologyOf(file)));
  page.edits = recordedEdits(file);
  for (const sched::Program *program : *file.programs()) {
    if (page.programs.size() == kMostPrograms) {
      page.notes.push_back(
          llvm::formatv("The first {0} of {1} programs are shown.",
                        kMostPrograms, file.programs()->size()));
      break;
    }
    llvm::Expected<PageProgram> shown =
        pageProgram(file, *program, {}, watcher);
    if (!shown)
      return shown.takeError();
    page.programs.push_back(std::move(*shown));
  }
  return page;
}
