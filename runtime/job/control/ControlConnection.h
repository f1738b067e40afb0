//===- ControlConnection.h - authenticated control messages -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A TCP connection between two processes of a job. Before either side accepts a
// message, the other must prove that it knows the secret; a stranger gets 32
// random bytes and nothing else:
//
//   asks                                      answers
//        <--------------------------------    challenge
//   challenge, sign("asks", both)  ------->   right? else it closes
//   right? else it closes   <--------------   sign("answers", both)
//
// Afterwards frames go both ways, each signed with its number and with a key of
// its direction of the connection, so that no frame can be forged, replayed or
// left out. Each purpose has a secret of its own (Secret::derive): a process
// that reaches another listener of the job than it intended cannot prove itself
// there.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_CONTROL_CONTROLCONNECTION_H
#define BLINK_RUNTIME_JOB_CONTROL_CONTROLCONNECTION_H

#include "runtime/job/Descriptor.h"
#include "runtime/job/control/Secret.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace blink::runtime {

/// One end of such a connection. Used by one thread at a time; no function here
/// waits.
class ControlConnection {
public:
  using Clock = std::chrono::steady_clock;
  enum class Side { asks, answers };

  /// Takes a connected, non-blocking socket.
  ControlConnection(Descriptor socket, const Secret &secret, Side side);

  int file() const { return socket_.get(); }
  short events() const; ///< for poll
  /// Reads and writes as much as is possible without waiting. If the other end
  /// sends without pause, it stops after some reads.
  void work();

  bool isProven() const { return stage_ == Stage::proven; }
  /// Returns true if the other end has closed the connection or sent something
  /// invalid; why() says what. hear() still returns the messages that came
  /// before.
  bool isBroken() const { return stage_ == Stage::broken; }
  const std::string &why() const { return why_; }
  Clock::time_point opened() const { return opened_; }
  /// When the last complete, signed frame came. Other bytes are no sign of
  /// life, because anyone could have sent them.
  Clock::time_point heardAt() const { return heardAt_; }
  Clock::time_point saidAt() const { return saidAt_; }
  /// Subtracts from the other end's silence the time that this process was late
  /// itself.
  void forgive(Clock::duration late) { heardAt_ += late; }

  /// Queues a message of at most kMostMessage bytes, which work() sends once
  /// the other end is proven. If the other end does not read, the connection is
  /// broken.
  void say(uint32_t kind, std::string_view text);
  /// Whether everything that was queued has been handed to the system.
  bool flushed() const { return said_.empty() && outgoing_.empty(); }
  /// Takes the next message that has come; returns false if there is none.
  bool hear(uint32_t &kind, std::string &text);

private:
  enum class Stage { challenge, proof, proven, broken };
  static constexpr size_t kDigest = sizeof(Digest);
  static constexpr size_t kSignature = 16; ///< bytes in a frame: a truncated
                                           ///< digest
  static constexpr uint32_t kMostFrame = 64 << 10;
  static constexpr size_t kMostMessage = 16 << 20;
  static constexpr size_t kMostQueued = 64 << 20; ///< bytes not yet sent

  void fail(const std::string &why);
  void send(const void *bytes, size_t size);
  bool mayRead() const;
  bool readSome();
  void writeSome();
  void read();
  bool readChallenge();
  bool readProof();
  bool readFrame();
  void sealFrame();
  Digest sign(const char *who) const;
  Digest signFrame(const Secret &key, uint64_t number,
                   std::string_view text) const;

  Descriptor socket_;
  const Secret secret_;
  const Side side_;
  Stage stage_ = Stage::challenge;
  std::string why_;
  Digest own_{}, other_{}; ///< challenges
  Secret sendKey_, receiveKey_;
  uint64_t framesSent_ = 0, framesReceived_ = 0;
  std::string incoming_; ///< bytes; unread from `read_` on
  size_t read_ = 0;
  std::string heard_; ///< messages; not yet taken from `given_` on
  size_t given_ = 0;
  std::string said_;     ///< messages that are not in a frame yet
  std::string outgoing_; ///< bytes; unsent from `written_` on
  size_t written_ = 0;
  Clock::time_point opened_ = Clock::now(), heardAt_ = opened_,
                    saidAt_ = opened_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_CONTROLCONNECTION_H
