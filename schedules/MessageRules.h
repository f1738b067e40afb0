//===- MessageRules.h - the rules of a sendrecv -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_MESSAGERULES_H
#define BLINK_SCHEDULES_MESSAGERULES_H

#include "schedules/SymmetryGroup.h"

#include <string>

namespace blink::sched {

/// Checks that each tree of a sendrecv's variant moves its block in one hop, as
/// the rule at Collective in schedule.fbs says: the runtime finds the steps of
/// a message by their blocks, and only the two ranks run any. All other rules
/// of trees, channels and steps have been checked. Takes linear time. Returns
/// the first violation as "place: what", or "".
[[nodiscard]] std::string checkMessages(const Variant &variant,
                                        const SymmetryGroup &group,
                                        uint32_t numRanks);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_MESSAGERULES_H
