//===- CallLocks.h - one call at a time on a communicator -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_API_CALLLOCKS_H
#define BLINK_RUNTIME_API_CALLLOCKS_H

#include "runtime/api/Comm.h"

#include <algorithm>
#include <functional>

namespace blink::runtime {

/// Holds the communicators of a group's calls, from the first call to the last:
/// another thread's group comes before all of them or after, so that the ranks
/// do not see the two in different orders. All threads take them by ascending
/// address, so no two wait for each other.
class CallLocks {
public:
  /// `states` has those of the calls, some several times; they outlive this.
  explicit CallLocks(std::vector<CommState *> &states) : states_(states) {
    std::sort(states_.begin(), states_.end(), std::less<CommState *>());
    states_.erase(std::unique(states_.begin(), states_.end()), states_.end());
    for (CommState *state : states_)
      state->calling.lock();
  }
  ~CallLocks() {
    for (CommState *state : states_)
      state->calling.unlock();
  }
  CallLocks(const CallLocks &) = delete;

private:
  std::vector<CommState *> &states_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_API_CALLLOCKS_H
