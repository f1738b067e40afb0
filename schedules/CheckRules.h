//===- CheckRules.h - the rules of schedule.fbs -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The rules that the FlatBuffers structure cannot express, checked once when a
// file is opened. Internal to schedules/.
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
/// Returns an empty string, or the first violation as "index path: what". Takes
/// linear time in `size`, because a file whose parts are reached twice is
/// refused.
[[nodiscard]] std::string checkRules(const Schedule &file, size_t size,
                                     bool isPacked = false);

/// Returns one place in a violation's path: "lanes[3]".
inline std::string at(const char *name, uint64_t index) {
  return std::string(name) + "[" + std::to_string(index) + "]";
}

/// Describes a number that is too large: "channel 12 of 9".
inline std::string outOf(const char *name, uint64_t index, uint64_t count) {
  return textOf(name, " ", index, " of ", count);
}

/// Returns true if this version of Blink has a name for `value`.
template <typename Enum> bool known(Enum value) {
  return value >= Enum::MIN && value <= Enum::MAX;
}
/// Describes a value that is not known(): "unknown link kind 6; ...".
template <typename Enum> std::string unknown(const char *name, Enum value) {
  return textOf("unknown ", name, " ", uint64_t(value),
                "; a newer Blink may know it");
}

/// Base of walks over an untrusted file that end at the first violation of a
/// rule.
class RuleWalk {
protected:
  explicit RuleWalk(uint64_t bytes) : budget_(bytes) {}

  /// Records a violation at `place`, relative to `within_`; `place` may say
  /// already what is wrong. Always returns false.
  template <typename... Parts>
  bool fail(const std::string &place, const Parts &...what) {
    error_ = within_ + place;
    if constexpr (sizeof...(what) > 0)
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
