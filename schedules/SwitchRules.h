//===- SwitchRules.h - the rules of SwitchUse -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_SWITCHRULES_H
#define BLINK_SCHEDULES_SWITCHRULES_H

#include "schedules/schedule_generated.h"

#include <string>

namespace blink::sched {

/// Whether `use` keeps the rule that schedule.fbs states at SwitchUse, but for
/// the order of its list. Trees, channels and paths of `variant`, one of
/// `program`, have been checked. What is wrong, or "". Linear in the channels.
[[nodiscard]] std::string checkSwitchUse(const Topology &topology,
                                         const Program &program,
                                         const Variant &variant,
                                         const SwitchUse &use);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_SWITCHRULES_H
