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

/// An option that affects a file's content, as on the command line:
/// "without-link" and "gpu 0:plx 1".
struct Setting {
  std::string name, value;

  bool operator==(const Setting &other) const {
    return name == other.name && value == other.value;
  }
};
/// Settings in the order of the file. A name may occur several times.
using Settings = std::vector<Setting>;

/// Returns the settings that the compiler recorded. If blink-perf has tuned the
/// file, the last one is "tuned" with the back end it was measured on.
Settings settingsOf(const Provenance &provenance);

/// Checks the rules of schedule.fbs in an untrusted file. Returns an empty
/// string, or the first violation and its place.
[[nodiscard]] std::string checkProvenance(const Provenance &provenance,
                                          ReadBudget &budget);

/// Returns "name=value name=value" for people to read; values may contain
/// blanks.
std::string toString(const Settings &settings);

flatbuffers::Offset<Provenance>
writeProvenance(flatbuffers::FlatBufferBuilder &builder,
                const std::string &compiler, const Settings &settings);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_PROVENANCE_H
