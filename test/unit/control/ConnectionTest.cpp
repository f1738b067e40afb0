//===- ConnectionTest.cpp - proofs of identity, and messages --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/unit/control/Wire.h"

using namespace blink;
using namespace blink::test;

namespace {

using Texts = std::vector<std::string>;
constexpr char kStranger[] = "it does not know the job's secret";

std::string wordOf(uint32_t number) {
  return {reinterpret_cast<const char *>(&number), sizeof(number)};
}

} // namespace

TEST_CASE("two ends with the secret hear each other") {
  Line line;
  line.asks.connection->say(1, "hello");
  line.carry();
  CHECK(line.asks.connection->isProven());
  CHECK(line.answers.connection->isProven());
  CHECK(line.answers.heard() == Texts{"1hello"});
  line.answers.connection->say(2, "");
  line.answers.connection->say(3, std::string(300000, 'x'));
  line.carry();
  CHECK(line.asks.heard() == Texts{"2", "3" + std::string(300000, 'x')});
  CHECK(line.answers.connection->flushed());
}

TEST_CASE("bytes that come one at a time are the same") {
  End asks(Side::asks), answers(Side::answers);
  asks.connection->say(7, "slowly");
  for (int i = 0; i < 3; ++i) {
    answers.connection->work();
    for (char byte : answers.take())
      asks.give({&byte, 1});
    asks.connection->work();
    for (char byte : asks.take())
      answers.give({&byte, 1});
  }
  CHECK(answers.heard() == Texts{"7slowly"});
}

TEST_CASE("without the secret nobody is proven, and nothing is told") {
  End asks(Side::asks, secretOf('a')), answers(Side::answers, secretOf('b'));
  asks.connection->say(1, "between us");
  answers.connection->say(1, "between us");
  const std::string challenge = answers.take();
  CHECK(challenge.size() == 32);
  asks.give(challenge);
  answers.give(asks.take());
  CHECK(answers.connection->why() == kStranger);
  CHECK(answers.take() == ""); // it does not even send a proof
  // An end that answers without the secret is found, too.
  End other(Side::asks);
  other.connection->say(1, "between us");
  other.give(std::string(32, 'c'));
  CHECK(other.take().size() == 64);
  other.give(std::string(32, 'p'));
  CHECK(other.connection->why() == kStranger);
  CHECK(other.take() == "");
}

TEST_CASE("secrets of other purposes prove nothing") {
  End asks(Side::asks, secretOf('s').derive("one"));
  End answers(Side::answers, secretOf('s').derive("other"));
  asks.give(answers.take());
  answers.give(asks.take());
  CHECK(answers.connection->why() == kStranger);
}

TEST_CASE("what was recorded proves nothing") {
  Line line;
  line.asks.connection->say(1, "hello");
  line.carry();
  REQUIRE(line.answers.heard() == Texts{"1hello"});
  End answers(Side::answers);
  answers.take();
  answers.give(line.toAnswers);
  CHECK(answers.connection->why() == kStranger);
  CHECK(answers.take() == "");
  CHECK(answers.heard().empty());
  End asks(Side::asks);
  asks.give(line.toAsks);
  CHECK(asks.connection->why() == kStranger);
  CHECK(asks.heard().empty());
}

TEST_CASE("an end's own words are none of the other's") {
  Line line;
  line.carry();
  line.asks.connection->say(1, "hello");
  line.asks.connection->work();
  const std::string frame = line.asks.take();
  line.asks.give(frame);
  CHECK(line.asks.connection->isBroken());
  CHECK(line.asks.heard().empty());
  // A proof made by the other end itself does not count either: its own
  // challenge, sent back.
  End answers(Side::answers);
  const std::string challenge = answers.take();
  answers.give(challenge + challenge);
  CHECK(answers.connection->why() == kStranger);
}

TEST_CASE("frames that are replayed, swapped, left out or changed are none") {
  const auto after = [](const auto &change) {
    Line line;
    line.carry();
    Texts frames;
    for (const char *text : {"one", "two", "three"}) {
      line.asks.connection->say(1, text);
      line.asks.connection->work();
      frames.push_back(line.asks.take());
    }
    std::string bytes;
    change(frames);
    for (const std::string &frame : frames)
      bytes += frame;
    line.answers.give(bytes);
    CHECK(line.answers.connection->why() ==
          "a frame is not what the other end sent");
    return line.answers.heard();
  };
  CHECK(after([](Texts &all) { all[1] = all[0]; }) == Texts{"1one"});
  CHECK(after([](Texts &all) { std::swap(all[0], all[1]); }).empty());
  CHECK(after([](Texts &all) { all.erase(all.begin() + 1); }) == Texts{"1one"});
  CHECK(after([](Texts &all) { all[2][13] ^= 1; }) == Texts{"1one", "1two"});
  CHECK(after([](Texts &all) { all[0].back() ^= 1; }).empty());
}

TEST_CASE("frames and messages without end are not waited for") {
  Line line;
  line.carry();
  line.answers.give(wordOf(100 << 20));
  CHECK(line.answers.connection->why() == "it sends frames without end");
  Line other;
  other.carry();
  // An end that knows the secret may misbehave as well.
  other.asks.connection->say(1, std::string((16 << 20) + 1, 'x'));
  CHECK(other.asks.connection->why() == "it does not read what it is told");
}

TEST_CASE("who does not read has its connection broken") {
  Line line;
  line.carry();
  const std::string much(8 << 20, 'x');
  int said = 0;
  for (; said < 100 && !line.asks.connection->isBroken(); ++said) {
    line.asks.connection->say(1, much);
    line.asks.connection->work();
  }
  CHECK(said < 20);
  CHECK(line.asks.connection->why() == "it does not read what it is told");
}

TEST_CASE("who is not heard is not read for ever") {
  Line line;
  line.carry();
  const std::string much(1 << 20, 'x');
  for (int i = 0; i < 40 && line.asks.connection->flushed(); ++i) {
    line.asks.connection->say(1, much);
    for (int turn = 0; turn < 64; ++turn) {
      line.asks.connection->work();
      std::string bytes = line.asks.take();
      send(line.answers.wire.get(), bytes.data(), bytes.size(),
           MSG_DONTWAIT | MSG_NOSIGNAL);
      line.answers.connection->work();
    }
  }
  const size_t heard = line.answers.heard().size();
  CHECK(heard >= 16);
  CHECK(heard < 20);
}

TEST_CASE("only frames are signs of life") {
  Line line;
  line.carry();
  const auto before = line.answers.connection->heardAt();
  line.answers.give(wordOf(1000) + "and nothing that is signed");
  CHECK(line.answers.connection->heardAt() == before);
}

TEST_CASE("an end that closes is noticed after what it said") {
  Line line;
  line.carry();
  line.asks.connection->say(1, "last words");
  line.asks.connection->work();
  line.answers.give(line.asks.take());
  line.answers.wire = Descriptor();
  // Descriptor's assignment swaps: the old one is closed with the temporary.
  line.answers.connection->work();
  CHECK(line.answers.connection->isBroken());
  CHECK(line.answers.heard() == Texts{"1last words"});
}
