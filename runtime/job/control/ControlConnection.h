//===- ControlConnection.h - proven words between two processes -*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A TCP connection of two processes of a job. Before either takes a word from
// the other, each proves that it knows the secret; a stranger gets 32 random
// bytes and nothing else:
//
//   asks                                      answers
//        <--------------------------------    challenge
//   challenge, sign("asks", both)  ------->   right? else it closes
//   right? else it closes   <--------------   sign("answers", both)
//
// Afterwards frames go both ways, each signed with its number and a key of the
// connection's direction, so that none can be made up, replayed or left out.
// The secret is one of its own for each purpose (Secret::derive), so that who
// reaches another listener of the job than it means is not proven there.
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

/// One end of such a connection. One thread's at a time; nothing here waits.
class ControlConnection {
public:
  using Clock = std::chrono::steady_clock;
  enum class Side { asks, answers };

  /// Takes a connected socket that does not block.
  ControlConnection(Descriptor socket, const Secret &secret, Side side);

  int file() const { return socket_.get(); }
  short events() const; ///< for poll
  /// Reads and writes as far as that goes, but for who sends without end.
  void work();

  bool isProven() const { return stage_ == Stage::proven; }
  /// Closed by the other end, or wrong; why() in words. Nothing comes any more
  /// that hear() has not given yet.
  bool isBroken() const { return stage_ == Stage::broken; }
  const std::string &why() const { return why_; }
  Clock::time_point opened() const { return opened_; }
  /// The last frame, whole and signed: bytes of anybody are no sign of life.
  Clock::time_point heardAt() const { return heardAt_; }
  Clock::time_point saidAt() const { return saidAt_; }
  /// Takes out of the silence what this process was late itself.
  void forgive(Clock::duration late) { heardAt_ += late; }

  /// Queues a message of at most kMostMessage, for work() to send once the
  /// other is proven. Who does not read has its connection broken.
  void say(uint32_t kind, std::string_view text);
  /// Whether all that was said is with the system.
  bool flushed() const { return said_.empty() && outgoing_.empty(); }
  /// The next message that has come.
  bool hear(uint32_t &kind, std::string &text);

private:
  enum class Stage { challenge, proof, proven, broken };
  static constexpr size_t kDigest = sizeof(Digest);
  static constexpr size_t kSignature = 16; ///< of a frame: a cut digest
  static constexpr uint32_t kMostFrame = 64 << 10;
  static constexpr size_t kMostMessage = 16 << 20;
  static constexpr size_t kMostQueued = 64 << 20; ///< that is not sent

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
  std::string incoming_; ///< bytes, from `read_` on
  size_t read_ = 0;
  std::string heard_; ///< messages, from `given_` on
  size_t given_ = 0;
  std::string said_;     ///< messages that no frame has yet
  std::string outgoing_; ///< bytes, from `written_` on
  size_t written_ = 0;
  Clock::time_point opened_ = Clock::now(), heardAt_ = opened_,
                    saidAt_ = opened_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_CONTROLCONNECTION_H
