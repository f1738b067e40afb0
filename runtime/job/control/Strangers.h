//===- Strangers.h - connections that have proven nothing yet ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_CONTROL_STRANGERS_H
#define BLINK_RUNTIME_JOB_CONTROL_STRANGERS_H

#include "runtime/job/control/ControlConnection.h"
#include "runtime/job/control/TcpSocket.h"

#include <list>
#include <memory>
#include <poll.h>
#include <vector>

namespace blink::runtime {

/// Accepts connections at a listener and keeps them until they are proven.
/// There are never many of them, and none stays for long: when another one
/// comes, or the process has no descriptor left for it, the oldest is dropped.
class Strangers {
public:
  void addFiles(const Listener &listener, std::vector<pollfd> &files) const;
  /// Accepts connections and lets all of them prove themselves; returns those
  /// that have.
  std::vector<std::unique_ptr<ControlConnection>> work(const Listener &listener,
                                                       const Secret &secret);

private:
  static constexpr size_t kMost = 256;
  static constexpr std::chrono::seconds kPatience{5};

  using Clock = ControlConnection::Clock;

  void accept(const Listener &listener, const Secret &secret);
  void refuse(const std::string &why);

  std::list<std::unique_ptr<ControlConnection>> all_;
  uint64_t refused_ = 0;
  Clock::time_point listensAgain_{}; ///< when descriptors had run out
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_STRANGERS_H
