//===- CheckRules.h - the rules of schedule.fbs -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What the FlatBuffers structure cannot say, checked once when a file is
// opened. Internal to schedules/.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_CHECKRULES_H
#define BLINK_SCHEDULES_CHECKRULES_H

#include "schedules/schedule_generated.h"

#include <cstddef>
#include <string>

namespace blink::sched {

/// Walks a structurally sound `file` of `size` bytes and checks every rule.
/// Returns an empty string, or the first violation as "index path: what".
/// Linear in `size`: a file whose parts are reached twice over is refused.
[[nodiscard]] std::string checkRules(const Schedule &file, size_t size);

/// A place in a violation's path: "lanes[3]".
inline std::string at(const char *name, uint64_t index) {
  return std::string(name) + "[" + std::to_string(index) + "]";
}

} // namespace blink::sched

#endif // BLINK_SCHEDULES_CHECKRULES_H
