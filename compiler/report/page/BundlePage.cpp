//===- BundlePage.cpp - the page of a bundle ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/RecordedEdits.h"
#include "compiler/report/page/Programs.h"
#include "compiler/support/Error.h"
#include "compiler/target/ScheduleTopology.h"
#include "schedules/BundleFile.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace blink;

namespace {

/// Adds the classes of a bundle to a page.
class BundlePage {
public:
  BundlePage(const sched::BundleView &bundle, PageData &page,
             const WorkWatcher &watcher)
      : bundle_(bundle), index_(*bundle.index), page_(page), watcher_(watcher) {
  }

  llvm::Error addClass(uint32_t number);
  void addAllocation(const sched::Entry &entry, size_t alike);

private:
  size_t machineOf(const sched::Schedule &file);

  const sched::BundleView &bundle_;
  const sched::Bundle &index_;
  PageData &page_;
  const WorkWatcher &watcher_;
  std::map<uint64_t, size_t> machines_; ///< by fingerprint
};

} // namespace

size_t BundlePage::machineOf(const sched::Schedule &file) {
  const auto [at, isNew] = machines_.try_emplace(file.topology()->fingerprint(),
                                                 page_.machines.size());
  if (isNew) {
    page_.machines.push_back(pageMachine(topologyOf(file)));
    if (page_.machines.size() == 1)
      page_.edits = recordedEdits(file);
  }
  return at->second;
}

/// Returns the program with the lowest rate; on a tie, the first of them.
static const sched::Program &slowestOf(const sched::Schedule &file) {
  const sched::Program *slowest = (*file.programs())[0];
  for (const sched::Program *program : *file.programs())
    if (program->algbw() < slowest->algbw())
      slowest = program;
  return *slowest;
}

llvm::Error BundlePage::addClass(uint32_t number) {
  PageClass &alike = page_.classes.emplace_back();
  const WorkWatcher watcher{
      watcher_.solver, [&](const std::string &what) {
        watcher_.begin(
            llvm::formatv("class {0}: {1}", page_.classes.size(), what).str());
      }};
  for (uint32_t c = 0; c < index_.collectives()->size(); ++c) {
    std::string error;
    const sched::Schedule *file = sched::openPiece(bundle_, number, c, error);
    if (!file && !error.empty())
      return makeError(error);
    if (!file)
      continue;
    llvm::Expected<PageProgram> program =
        pageProgram(*file, slowestOf(*file),
                    {/*replay=*/false, /*allVariants=*/false}, watcher);
    if (!program)
      return program.takeError();
    program->machine = machineOf(*file);
    alike.programs.push_back(page_.programs.size());
    page_.programs.push_back(std::move(*program));
  }
  return llvm::Error::success();
}

void BundlePage::addAllocation(const sched::Entry &entry, size_t alike) {
  const uint16_t *gpus = index_.gpus()->data() + entry.gpus_begin();
  PageAllocation one{{gpus, gpus + entry.gpus_count()}, alike, {}};
  if (!bundle_.cluster) {
    const uint16_t *nodes = index_.node_maps()->data() + entry.map_begin();
    one.nodes.assign(nodes, nodes + index_.num_nodes());
  }
  page_.allocations.push_back(std::move(one));
}

llvm::Expected<PageData> blink::pageOf(const sched::BundleView &bundle,
                                       const WorkWatcher &watcher) {
  const sched::Bundle &index = *bundle.index;
  PageData page;
  page.title = index.machine()->str();
  BundlePage builder(bundle, page, watcher);
  // Indices in PageData::classes, by class number.
  std::map<uint32_t, size_t> places;
  for (const sched::Entry *entry : *index.entries()) {
    const auto [at, isNew] =
        places.try_emplace(entry->class_number(), page.classes.size());
    if (isNew)
      if (llvm::Error error = builder.addClass(entry->class_number()))
        return error;
    builder.addAllocation(*entry, at->second);
  }
  if (index.conditions()->size() > 1)
    page.notes.push_back(llvm::formatv(
        "Schedules in reserve, for {0} links that may fail, are not shown.",
        index.conditions()->size() - 1));
  return page;
}
