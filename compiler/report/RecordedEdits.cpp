//===- RecordedEdits.cpp - the links a schedule's machine lacks -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Reads back the settings of links that CompileOptions::commonSettings wrote.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/RecordedEdits.h"

#include "compiler/target/ScheduleTopology.h"
#include "schedules/Provenance.h"

#include "llvm/ADT/STLExtras.h"

using namespace blink;

/// Whether the bandwidth between the ends of `edit` is what the edit leaves.
static bool holds(const LinkEdit &edit, const Topology &machine) {
  const auto readings = nodesNamed(machine, edit.ends);
  if (readings.empty())
    return false;
  const auto [a, b] = readings.front();
  const double left =
      std::max(machine.bandwidth(a, b), machine.bandwidth(b, a));
  // The rates of several links that share a limit may not add up to it exactly.
  return edit.limit ? left > 0 && left <= *edit.limit * (1 + 1e-9) : left == 0;
}

std::vector<LinkEdit> blink::recordedEdits(const sched::Schedule &file) {
  std::vector<LinkEdit> edits;
  for (const sched::Setting &setting : sched::settingsOf(*file.provenance())) {
    if (setting.name == "without-link")
      edits.push_back({setting.value, std::nullopt, ""});
    if (setting.name != "limit-link")
      continue;
    llvm::Expected<LinkEdit> edit = parseLinkLimit(setting.value, "");
    if (edit)
      edits.push_back(std::move(*edit));
    else
      llvm::consumeError(edit.takeError());
  }
  if (edits.empty())
    return edits;
  const Topology machine = topologyOf(file);
  llvm::erase_if(edits,
                 [&](const LinkEdit &edit) { return !holds(edit, machine); });
  return edits;
}
