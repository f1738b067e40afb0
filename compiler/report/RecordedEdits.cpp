//===- RecordedEdits.cpp - the links a schedule's machine lacks -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Reads back what CompileOptions::commonSettings says of links.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/RecordedEdits.h"

#include "compiler/target/ScheduleTopology.h"
#include "schedules/Provenance.h"

#include "llvm/ADT/STLExtras.h"

using namespace blink;

/// Whether the links between the ends of `edit` are what it says is left.
static bool holds(const LinkEdit &edit, const Topology &machine) {
  auto find = [&](llvm::StringRef id) {
    return llvm::find_if(machine.nodes,
                         [&](const Node &node) { return node.id == id; }) -
           machine.nodes.begin();
  };
  const auto none = static_cast<ptrdiff_t>(machine.nodes.size());
  llvm::StringRef ends = edit.ends;
  for (size_t at = ends.find(':'); at != llvm::StringRef::npos;
       at = ends.find(':', at + 1)) { // ids may hold colons, too
    const ptrdiff_t a = find(ends.take_front(at));
    const ptrdiff_t b = find(ends.drop_front(at + 1));
    if (a == none || b == none)
      continue;
    double forth = 0, back = 0;
    for (const Link &link : machine.links) {
      if (link.from == a && link.to == b)
        forth += link.bandwidth;
      if (link.from == b && link.to == a)
        back += link.bandwidth;
    }
    // A limit divided among several links need not add up to the last bit.
    const double left = std::max(forth, back);
    return edit.limit ? left > 0 && left <= *edit.limit * (1 + 1e-9)
                      : left == 0;
  }
  return false;
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
