//===- Estimate.cpp - how long a group's calls would take -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The model is of one call that has the links to itself. The times of several
// calls on one communicator are added up if they need the same links.
// Collectives follow each other anyway. Messages that a rank sends at the same
// time share the links that lead away from it, and those that it receives the
// links that lead to it; the two directions run side by side.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Estimate.h"

#include <algorithm>
#include <map>

namespace blink::runtime {
namespace {

/// The times of one communicator's calls in the group, in microseconds.
struct RankTimes {
  double collectives = 0;
  double sent = 0;
  double received = 0;

  double &of(const Call &call) {
    return !call.isMessage() ? collectives : call.send ? sent : received;
  }
  double all() const { return collectives + std::max(sent, received); }
};

} // namespace

Status estimateTogether(const std::vector<PendingCall> &calls,
                        const std::vector<std::shared_ptr<CommState>> &states,
                        double &microseconds) {
  std::map<const CommState *, RankTimes> ranks;
  for (size_t i = 0; i < calls.size(); ++i) {
    double alone = 0;
    Status status = calls[i].backend->failure();
    if (status.ok())
      status = calls[i].call.estimate(alone);
    if (!status.ok()) {
      report(status, &states[i]->lastError);
      return status;
    }
    ranks[states[i].get()].of(calls[i].call) += alone;
  }
  microseconds = 0;
  for (const auto &[state, times] : ranks)
    microseconds = std::max(microseconds, times.all());
  return {};
}

} // namespace blink::runtime
