//===- Meeting.h - what ranks exchange before they have a plan --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_MEETING_H
#define BLINK_RUNTIME_JOB_MEETING_H

#include "runtime/Status.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace blink::runtime {

/// Exchanges strings between the ranks of a unique id: this rank passes `said`
/// and gets those of all ranks in `all`, at most AddressRecord::kBytes each.
/// For what must be known before there is a plan, and therefore before
/// joinJob(), which follows with the same id. Either all ranks call it or none.
/// Errors: as joinJob's; a rank does not come in time.
Status meet(const blinkUniqueId &id, int numRanks, int rank,
            const std::string &said, std::chrono::milliseconds timeout,
            const std::function<Status()> &ended,
            std::vector<std::string> &all);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_MEETING_H
