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

/// Messages with tags, as c10d has them: of those from one rank, a receive
/// takes the first with its tag. Blink's messages arrive in the order in which
/// they were sent, so each comes behind a header that says what it is; one that
/// nobody waits for yet is kept.
///
/// To every other rank there is a queue, and one from it, each with a thread
/// that is started when it is first used: a message that waits holds up no
/// other pair of ranks.
class HostMessages {
public:
  /// Called once when the message is through, with null or what went wrong, and
  /// the rank it came from or went to.
  using Done = std::function<void(std::exception_ptr, int peer)>;
  /// Waits until there is a communicator, or throws.
  using GetComm = std::function<blinkComm_t()>;

  HostMessages(int rank, int size, GetComm comm);
  /// Waits for those that are under way.
  ~HostMessages() { drain(); }

  /// Tensors are contiguous, and left alone until they are done.
  void send(int peer, int64_t tag, const at::Tensor &tensor, Done done);
  void receive(int peer, int64_t tag, const at::Tensor &tensor, Done done);
  /// From whichever rank. If none has sent within the time limit that is an
  /// error, and the communicator stays good.
  void receiveAny(int64_t tag, const at::Tensor &tensor,
                  std::chrono::milliseconds timeout, Done done);
  /// Returns when none is under way.
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
  /// In the order of their calls. Who takes one moves it to a list of its own.
  using Receives = std::list<Receive>;
  struct Kept {
    Header header;
    at::Tensor bytes;
  };
  /// Another rank.
  struct Peer {
    CallQueue sends, receives;
    // By the mutex:
    Receives waiting;
    std::list<Kept> kept; ///< nobody waited for them; in the order of arrival
  };

  void acceptUntilTaken(int peer, const Receive *receive);
  void acceptNext(int peer);
  void acceptArrived();
  /// By the mutex.
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
  CallQueue looking_; ///< has a task for each of them
};

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_HOSTMESSAGES_H
