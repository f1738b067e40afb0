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

#include "schedules/ReadBudget.h"
#include "schedules/Text.h"
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

/// A number that is too large: "channel 12 of 9".
inline std::string outOf(const char *name, uint64_t index, uint64_t count) {
  return textOf(name, " ", index, " of ", count);
}

/// A walk over an untrusted file, to the first violation of a rule.
class RuleWalk {
protected:
  explicit RuleWalk(uint64_t bytes) : budget_(bytes) {}

  /// Records a violation at `place`, which is within `within_`. Always false.
  template <typename... Parts>
  bool fail(const std::string &place, const Parts &...what) {
    error_ = within_ + place;
    error_ += textOf(error_.empty() ? "" : ": ", what...);
    return false;
  }

  template <typename T>
  bool pay(const char *name, const flatbuffers::Vector<T> *vector) {
    const char *wrong = budget_.pay(vector);
    return !wrong || fail(name, wrong);
  }

  ReadBudget budget_;
  std::string within_; ///< "", or "lanes[3]."
  std::string error_;
};

} // namespace blink::sched

#endif // BLINK_SCHEDULES_CHECKRULES_H
