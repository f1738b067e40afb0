//===- SymmetricPrograms.cpp - expanding symmetric programs ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/SymmetricPrograms.h"

#include "schedules/ScheduleFile.h"

#include <map>

namespace blink::runtime {
namespace {

/// A file in full, or the part of it that is needed.
struct Expanded {
  const sched::Schedule *schedule = nullptr;
  sched::SchedulePart part;
};

Status expand(const sched::Schedule &file, const std::vector<bool> &ranks,
              bool inFull, Expanded &expanded, ExpandedFiles &files) {
  std::string error;
  if (inFull)
    expanded.part.bytes = sched::expandSchedule(file, error);
  else
    expanded.part = sched::expandFor(file, ranks, error);
  if (!error.empty())
    return {blinkInvalidArgument,
            file.topology()->name()->str() + ": " + error};
  files.push_back(std::make_shared<const std::vector<uint8_t>>(
      std::move(expanded.part.bytes)));
  expanded.schedule = sched::GetSchedule(files.back()->data());
  return {};
}

uint32_t placeOf(const sched::Program *program, const sched::Schedule &file) {
  uint32_t place = 0;
  while (file.programs()->Get(place) != program)
    ++place;
  return place;
}

} // namespace

Status expandPrograms(std::vector<ResolvedProgram> &programs,
                      const std::vector<bool> &ranks, ExpandedFiles &files,
                      std::vector<bool> &known) {
  const bool inFull =
      std::find(ranks.begin(), ranks.end(), false) == ranks.end();
  std::vector<bool> alike(ranks.size(), false); // representatives
  bool anyLeftOut = false;
  std::map<const sched::Schedule *, Expanded> byFile;
  for (ResolvedProgram &resolved : programs) {
    if (!sched::isSymmetric(*resolved.program))
      continue;
    Expanded &expanded = byFile[resolved.file];
    if (!expanded.schedule)
      if (Status status =
              expand(*resolved.file, ranks, inFull, expanded, files);
          !status.ok())
        return status;
    const uint32_t place = placeOf(resolved.program, *resolved.file);
    if (!inFull) {
      anyLeftOut = true;
      sched::SymmetryGroup group; // exists: the file has been opened
      (void)sched::SymmetryGroup::create(
          *resolved.file->topology(), *resolved.program->allocation(),
          sched::renamingsOf(*resolved.program), group);
      for (uint32_t rank : group.representatives())
        alike[rank] = true;
      resolved.parts = expanded.part.variants[place];
    }
    resolved.program = expanded.schedule->programs()->Get(place);
  }
  known = anyLeftOut ? alike : std::vector<bool>(ranks.size(), true);
  return {};
}

} // namespace blink::runtime
