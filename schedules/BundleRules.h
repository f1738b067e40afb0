//===- BundleRules.h - the rules of bundle.fbs ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The rules that the FlatBuffers structure of an index cannot express, checked
// once when a bundle is opened. Internal to schedules/.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_BUNDLERULES_H
#define BLINK_SCHEDULES_BUNDLERULES_H

#include "schedules/bundle_generated.h"

#include <string>
#include <utility>
#include <vector>

namespace blink::sched {

/// Walks a structurally sound index of `indexBytes` bytes, from a file with
/// `piecesBytes` bytes of pieces, and checks every rule. Returns an empty
/// string, or the first violation as "index path: what". Takes linear time in
/// `indexBytes`, apart from a logarithm.
[[nodiscard]] std::string checkBundleRules(const Bundle &index,
                                           uint64_t indexBytes,
                                           uint64_t piecesBytes);

/// The key by which entries are ordered: the number of GPUs, then the GPUs.
using EntryKey = std::pair<uint32_t, std::vector<uint16_t>>;
EntryKey keyOf(const Bundle &index, const Entry &entry);

/// The key by which survivors are ordered: the condition, then gpus_begin.
using SurvivorKey = std::pair<uint32_t, uint32_t>;
SurvivorKey keyOf(const Survivor &survivor);

/// Returns the nodes of a condition other than the first as "gpu0:gpu3".
std::string namedEnds(const Condition &condition);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_BUNDLERULES_H
