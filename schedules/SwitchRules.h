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

/// Checks the uses of switches in one variant of `program`, whose trees,
/// channels and paths have been checked. The constructor takes linear time in
/// the variant, and so do all checks together.
class SwitchRules {
public:
  /// `gpuNodes` has the node of each GPU of the machine.
  SwitchRules(const Topology &topology, const std::vector<uint32_t> &gpuNodes,
              const Program &program, const Variant &variant);

  /// Checks that `use` obeys the rule at SwitchUse in schedule.fbs, except for
  /// the order of the list. Returns a description of the violation, or "".
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
