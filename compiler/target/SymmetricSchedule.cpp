//===- SymmetricSchedule.cpp - schedules in symmetric form ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/SymmetricSchedule.h"

#include "compiler/support/Error.h"
#include "compiler/target/ScheduleTopology.h"
#include "compiler/topology/symmetry/Symmetry.h"

using namespace blink;

llvm::Expected<sched::SymmetricFile>
blink::symmetricSchedule(const sched::Schedule &file) {
  std::vector<std::vector<sched::Renaming>> symmetries;
  for (const sched::Program *program : *file.programs()) {
    std::vector<sched::Renaming> &renamings =
        symmetries.emplace_back(sched::renamingsOf(*program));
    if (!renamings.empty())
      continue;
    if (program->relays() && program->relays()->size() > 0)
      continue;
    llvm::Expected<RankTopology> ranks = rankTopologyOf(file, *program);
    if (!ranks)
      return ranks.takeError();
    const Symmetry symmetry = Symmetry::find(*ranks);
    for (const Symmetry::Generator &generator : symmetry.generators())
      renamings.push_back({{generator.nodes.begin(), generator.nodes.end()},
                           static_cast<uint32_t>(generator.steps)});
  }
  std::string error;
  std::optional<sched::SymmetricFile> form =
      sched::symmetricFile(file, symmetries, error);
  if (!form)
    return makeError(error);
  return std::move(*form);
}
