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

/// What a rank needs to make a communicator together with the others.
struct Meeting {
  c10::intrusive_ptr<c10d::Store> store; ///< of the group
  std::string key;                       ///< in the store, for this
                                         ///< communicator only
  int rank = 0, size = 0;
  std::chrono::milliseconds timeout{0}; ///< also of all calls
};

/// A communicator of all ranks of a group with two or more ranks. The ranks
/// find each other through the group's store, where rank 0 leaves the id. The
/// communicator is made in the background; a thread that needs it waits for it,
/// and gets the error if there is one.
class Communicator {
public:
  /// `device` is CUDA's number, or -1 for the host back end. Waits for rank 0
  /// and for no other rank. Does not throw errors that get() can report later.
  Communicator(const Meeting &meeting, int device);
  /// Frees the communicator; no call on it may be under way.
  ~Communicator();
  Communicator(const Communicator &) = delete;

  /// Waits until the communicator is made. Throws as check().
  blinkComm_t get();
  /// Makes a communicator without the excluded ranks; all other ranks make the
  /// same call. Throws as check().
  std::unique_ptr<Communicator> shrink(const std::vector<int> &excluded);
  /// Ends all calls on the communicator, on all ranks, and the making of it.
  /// May be called from any thread.
  void revoke();
  /// Returns null, or why the communicator is unusable. Does not wait.
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

  Meeting meeting_;     ///< its store is null in a communicator that shrink()
                        ///< made
  std::string refusal_; ///< "", or why the making could not even be started
  blinkComm_t comm_ = nullptr;
  std::mutex making_; ///< held by the thread that waits until it is made
  bool isMade_ = false;
  std::atomic<bool> isRevoked_{false};
};

} // namespace blink::pytorch

#endif // BLINK_RUNTIME_BINDINGS_TORCH_COMMUNICATOR_H
