//===- BundleContents.cpp - counts of a bundle's contents -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/BundleContents.h"

#include "compiler/topology/Topology.h"
#include "schedules/BundleRules.h"

using namespace blink;

BundleContents BundleContents::of(const sched::Bundle &index) {
  BundleContents contents;
  contents.machine = index.machine()->str();
  for (auto collective : *index.collectives())
    contents.collectives.push_back(
        toString(static_cast<Collective>(collective)).str());
  contents.allocations = index.entries()->size();
  if (index.cluster())
    contents.boxes = index.cluster()->boxes()->size();
  contents.failures = index.conditions()->size() - 1;
  for (const sched::AllocationClass *one : *index.classes())
    ++(one->condition() == sched::kWholeMachine ? contents.classes
                                                : contents.survivorClasses);
  const auto add = [&](const sched::Entry &entry, std::vector<Apart> &list,
                       const std::string &failure) {
    const auto &members = *index.classes()->Get(entry.class_number())->pieces();
    const uint16_t *gpus = index.gpus()->data() + entry.gpus_begin();
    if (members.Get(0)->size() == 0)
      list.push_back({{gpus, gpus + entry.gpus_count()}, failure});
  };
  for (const sched::Entry *entry : *index.entries())
    add(*entry, contents.unreachable, "");
  if (!index.survivors())
    return contents;
  for (const sched::Survivor *one : *index.survivors()) {
    if (one->entry().class_number() == sched::kNoClass)
      continue;
    const sched::Condition &failed = *index.conditions()->Get(one->condition());
    add(one->entry(), contents.cutOff,
        failed.id_a()->str() + ":" + failed.id_b()->str());
    ++contents.survivors;
  }
  return contents;
}
