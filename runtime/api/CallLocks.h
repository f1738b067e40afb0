//===- CallLocks.h - the turns of a group's calls ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_API_CALLLOCKS_H
#define BLINK_RUNTIME_API_CALLLOCKS_H

#include "runtime/api/Comm.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace blink::runtime {

/// A queue of calls of a communicator, by Call::queue().
using CallQueue = std::pair<CommState *, int>;

/// Holds the queues of a group's calls from the first call to the last. Another
/// thread's group comes before all of them or after, so the ranks do not see
/// the two groups in different orders. Calls of other queues, which are
/// collectives and messages of other pairs, go on at the same time. All threads
/// take queues in the same order, so no two of them wait for each other.
class CallLocks {
public:
  /// `queues`: the queues of the calls, possibly some of them several times;
  /// the communicators outlive this object.
  explicit CallLocks(std::vector<CallQueue> &queues) : queues_(queues) {
    std::sort(queues_.begin(), queues_.end(), std::less<CallQueue>());
    queues_.erase(std::unique(queues_.begin(), queues_.end()), queues_.end());
    for (auto [state, queue] : queues_)
      state->turns.take(queue);
  }
  ~CallLocks() {
    for (auto [state, queue] : queues_)
      state->turns.giveBack(queue);
  }
  CallLocks(const CallLocks &) = delete;

private:
  std::vector<CallQueue> &queues_;
};

/// Returns all queues of one communicator.
inline std::vector<CallQueue> allQueues(CommState &state) {
  std::vector<CallQueue> queues;
  for (int queue = 0; queue < state.turns.size(); ++queue)
    queues.push_back({&state, queue});
  return queues;
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_API_CALLLOCKS_H
