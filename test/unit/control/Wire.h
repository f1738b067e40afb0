//===- Wire.h - two ends of a control connection, for tests -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_CONTROL_WIRE_H
#define BLINK_TEST_UNIT_CONTROL_WIRE_H

#include "runtime/job/control/ControlConnection.h"

#include "doctest/doctest.h"

#include <memory>
#include <sys/socket.h>
#include <vector>

namespace blink::test {

using namespace runtime;
using Side = ControlConnection::Side;

inline Secret secretOf(unsigned char letter) {
  REQUIRE(checkSigning().ok());
  Secret secret;
  secret.bytes.fill(letter);
  return secret;
}

/// One end of a connection; the other end of its socket belongs to the test.
struct End {
  explicit End(Side side, const Secret &secret = secretOf('s')) {
    int both[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
                       both) == 0);
    wire = Descriptor(both[1]);
    connection =
        std::make_unique<ControlConnection>(Descriptor(both[0]), secret, side);
    connection->work();
  }

  /// Returns what the connection has written.
  std::string take() {
    std::string text;
    char bytes[64 << 10];
    for (ssize_t got;
         (got = recv(wire.get(), bytes, sizeof(bytes), MSG_DONTWAIT)) > 0;)
      text.append(bytes, size_t(got));
    return text;
  }
  /// Lets the connection read `text`.
  void give(std::string_view text) {
    while (!text.empty() && !connection->isBroken()) {
      const ssize_t sent = send(wire.get(), text.data(), text.size(),
                                MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0)
        text.remove_prefix(size_t(sent));
      connection->work();
      if (sent < 0 && errno != EAGAIN)
        break;
    }
    connection->work();
  }
  /// Returns the messages heard so far.
  std::vector<std::string> heard() {
    std::vector<std::string> texts;
    uint32_t kind;
    std::string text;
    while (connection->hear(kind, text))
      texts.push_back(std::to_string(kind) + text);
    return texts;
  }

  Descriptor wire;
  std::unique_ptr<ControlConnection> connection;
};

/// Two ends; whoever is between them is the test.
struct Line {
  explicit Line(const Secret &secret = secretOf('s'))
      : asks(Side::asks, secret), answers(Side::answers, secret) {}

  /// Carries all bytes to the other end; `toAsks` and `toAnswers` record them.
  void carry() {
    for (int turn = 0; turn < 4; ++turn) {
      answers.connection->work();
      const std::string down = answers.take();
      asks.give(down);
      const std::string up = asks.take();
      answers.give(up);
      toAsks += down;
      toAnswers += up;
    }
  }

  End asks, answers;
  std::string toAsks, toAnswers;
};

} // namespace blink::test

#endif // BLINK_TEST_UNIT_CONTROL_WIRE_H
