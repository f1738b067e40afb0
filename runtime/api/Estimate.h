//===- Estimate.h - how long a group's calls would take ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_API_ESTIMATE_H
#define BLINK_RUNTIME_API_ESTIMATE_H

#include "runtime/api/Comm.h"

#include <vector>

namespace blink::runtime {

/// Sets `microseconds` to the time that the prepared `calls`, each on the
/// communicator of its state, take by their schedules' estimates. Errors:
/// why a job has failed; as Call::estimate.
Status estimateTogether(const std::vector<PendingCall> &calls,
                        const std::vector<std::shared_ptr<CommState>> &states,
                        double &microseconds);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_API_ESTIMATE_H
