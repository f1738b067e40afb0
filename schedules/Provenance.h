//===- Provenance.h - how a file was made -----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_PROVENANCE_H
#define BLINK_SCHEDULES_PROVENANCE_H

#include "schedules/ReadBudget.h"
#include "schedules/schedule_generated.h"

#include <string>
#include <vector>

namespace blink::sched {

/// An option that decides a file's content, as the command line takes it:
/// "without-link" and "gpu 0:plx 1".
struct Setting {
  std::string name, value;

  bool operator==(const Setting &other) const {
    return name == other.name && value == other.value;
  }
};
/// In the order of the file. A name may stand there several times.
using Settings = std::vector<Setting>;

/// Those that the compiler recorded; where blink-perf has tuned the file, then
/// "tuned" and the back end it was measured on.
Settings settingsOf(const Provenance &provenance);

/// The rules of schedule.fbs, in a file that is not trusted yet: empty, or the
/// first one broken and its place.
[[nodiscard]] std::string checkProvenance(const Provenance &provenance,
                                          ReadBudget &budget);

/// "name=value name=value", for people: values may hold blanks.
std::string toString(const Settings &settings);

flatbuffers::Offset<Provenance>
writeProvenance(flatbuffers::FlatBufferBuilder &builder,
                const std::string &compiler, const Settings &settings);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_PROVENANCE_H
