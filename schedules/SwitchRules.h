//===- SwitchRules.h - the rules of SwitchUse -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_SWITCHRULES_H
#define BLINK_SCHEDULES_SWITCHRULES_H

#include "schedules/schedule_generated.h"

#include <string>
#include <vector>

namespace blink::sched {

/// Judges the uses of switches of one variant of `program`, whose trees,
/// channels and paths have been checked. Making it takes time linear in the
/// variant, and all its checks together do.
class SwitchRules {
public:
  /// `gpuNodes`: of each GPU of the machine, its node.
  SwitchRules(const Topology &topology, const std::vector<uint32_t> &gpuNodes,
              const Program &program, const Variant &variant);

  /// Whether `use` keeps the rule that schedule.fbs states at SwitchUse, but
  /// for the order of its list. What is wrong, or "".
  [[nodiscard]] std::string check(const SwitchUse &use) const;

private:
  std::string checkLinks(const SwitchUse &use) const;
  std::string checkStar(const SwitchUse &use, bool up) const;
  uint32_t rootOf(const SwitchUse &use) const {
    return variant_.trees()->Get(use.tree())->root();
  }

  const Topology &topology_;
  const std::vector<uint32_t> &gpuNodes_;
  const Program &program_;
  const Variant &variant_;
  std::vector<std::vector<uint32_t>> channelsOf_; ///< by tree
};

} // namespace blink::sched

#endif // BLINK_SCHEDULES_SWITCHRULES_H
