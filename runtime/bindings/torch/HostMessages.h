//===- HostMessages.h - messages between tensors of the host ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_TORCH_HOSTMESSAGES_H
#define BLINK_RUNTIME_BINDINGS_TORCH_HOSTMESSAGES_H

#include "runtime/bindings/torch/CallQueue.h"
#include "runtime/bindings/torch/Site.h"

#include <algorithm>
#include <chrono>
#include <list>
#include <memory>
#include <vector>

namespace blink::pytorch {

/// Messages with tags, with the semantics of c10d: a receive takes the first
/// message with its tag among those from one rank. Blink's messages arrive in
/// the order in which they were sent, so each is preceded by a header that
/// describes it; a message that no receive waits for yet is kept.
///
/// There is one queue to every other rank and one from it, each with a thread
/// that is started when it is first used. A message that waits therefore delays
/// no other pair of ranks.
class HostMessages {
public:
  /// Called once when the message is complete, with null or what went wrong,
  /// and the rank that it came from or went to.
  using Done = std::function<void(std::exception_ptr, int peer)>;
  /// Waits until there is a communicator, or throws.
  using GetComm = std::function<blinkComm_t()>;

  HostMessages(int rank, int size, GetComm comm);
  /// Waits for messages that are under way.
  ~HostMessages() { drain(); }

  /// Tensors are contiguous, and must not be used until the message is done.
  void send(int peer, int64_t tag, const at::Tensor &tensor, Done done);
  void receive(int peer, int64_t tag, const at::Tensor &tensor, Done done);
  /// Receives from any rank. If none sends within the time limit, that is an
  /// error, but the communicator stays usable.
  void receiveAny(int64_t tag, const at::Tensor &tensor,
                  std::chrono::milliseconds timeout, Done done);
  /// Returns when no message is under way.
  void drain();

private:
  struct Header {
    int64_t tag = 0, bytes = 0, type = 0;
  };
  struct Receive {
    int64_t tag;
    at::Tensor tensor;
    Done done;
  };
  /// Receives in the order of their calls. A thread that takes one moves it to
  /// a list of its own.
  using Receives = std::list<Receive>;
  struct Kept {
    Header header;
    at::Tensor bytes;
  };
  /// The state for another rank.
  struct Peer {
    CallQueue sends, receives;
    // Guarded by the mutex:
    Receives waiting;
    std::list<Kept> kept; ///< messages that no receive waited for, in the order
                          ///< of arrival
  };

  void acceptUntilTaken(int peer, const Receive *receive);
  void acceptNext(int peer);
  void acceptArrived();
  /// Requires the mutex.
  static Receives::iterator find(Receives &receives, const Receive *receive) {
    return std::find_if(receives.begin(), receives.end(),
                        [=](const Receive &one) { return &one == receive; });
  }
  bool takeKept(int peer, Receives &waiting, Receives::iterator own,
                std::unique_lock<std::mutex> &lock);
  std::exception_ptr mismatch(int peer, const Header &header,
                              const Receive &receive) const;
  void lookForAny(const Receive *receive,
                  std::chrono::steady_clock::time_point deadline);

  const int rank_;
  const GetComm comm_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Peer>> peers_; ///< null: this rank
  Receives waitingForAny_;
  CallQueue looking_; ///< has one task for each of them
};

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_HOSTMESSAGES_H
