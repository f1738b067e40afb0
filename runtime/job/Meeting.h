//===- Meeting.h - what ranks tell each other before all else ---*- C++ -*-===//
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

/// Tells the ranks of a unique id what the others say, `said` of this one, at
/// most AddressRecord::kBytes each: for what has to be known before there is a
/// plan, and so before joinJob(), which follows with the same id. Every rank
/// calls it or none. Errors: as joinJob's; a rank does not come in time.
Status meet(const blinkUniqueId &id, int numRanks, int rank,
            const std::string &said, std::chrono::milliseconds timeout,
            const std::function<Status()> &ended,
            std::vector<std::string> &all);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_MEETING_H
