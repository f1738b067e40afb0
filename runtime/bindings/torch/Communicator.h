//===- Communicator.h - a group's communicator ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_TORCH_COMMUNICATOR_H
#define BLINK_RUNTIME_BINDINGS_TORCH_COMMUNICATOR_H

#include "runtime/blink.h"

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace blink::pytorch {

/// What a rank brings to the making of a communicator.
struct Meeting {
  c10::intrusive_ptr<c10d::Store> store; ///< of the group
  std::string key;                       ///< in it, of this communicator alone
  int rank = 0, size = 0;
  std::chrono::milliseconds timeout{0}; ///< of all calls, too
};

/// A communicator of all ranks of a group, two at least. They find each other
/// through the group's store, where rank 0 leaves the id. It is made meanwhile;
/// who needs it waits, and hears what went wrong.
class Communicator {
public:
  /// `device` is CUDA's number, or -1 for the host back end. Waits for rank 0,
  /// and for no other. Does not throw what can be thrown later.
  Communicator(const Meeting &meeting, int device);
  /// Frees it; calls on it have come to their ends.
  ~Communicator();
  Communicator(const Communicator &) = delete;

  /// Waits until it is made. Throws as check().
  blinkComm_t get();
  /// One without some ranks, which all others ask for. Throws as check().
  std::unique_ptr<Communicator> shrink(const std::vector<int> &excluded);
  /// Ends all calls on it, on all ranks, and its making. From any thread.
  void revoke();
  /// Null, or why it is of no more use. Does not wait.
  std::exception_ptr failure();

private:
  explicit Communicator(blinkComm_t made) : comm_(made), isMade_(true) {}
  void invite(int device);
  [[noreturn]] void refuseHosts(const std::string &here,
                                const std::string &first, bool onHost) const;
  std::string hostKey(int rank) const;
  std::vector<uint64_t> hostsOfAll();
  blinkResult_t state();

  void tellOthers();
  void hearOthers();

  Meeting meeting_;     ///< store null: there was none
  std::string refusal_; ///< "", or why it could not even be begun
  blinkComm_t comm_ = nullptr;
  std::mutex making_; ///< held by who waits until it is made
  bool isMade_ = false;
  std::atomic<bool> isRevoked_{false};
};

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_COMMUNICATOR_H
