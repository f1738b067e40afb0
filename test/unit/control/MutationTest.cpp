//===- MutationTest.cpp - random changes of a connection's bytes ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// An attacker between two ends changes the bytes in a different way each time.
// Each end must hear exactly what the other said, up to some message, and
// nothing after it.
//
//===----------------------------------------------------------------------===//

#include "test/unit/control/Wire.h"

#include <algorithm>
#include <random>

using namespace blink;
using namespace blink::test;

namespace {

using Random = std::minstd_rand;

size_t upTo(Random &random, size_t most) { return random() % (most + 1); }

/// Changes the bytes, or leaves them as they are.
void mutate(std::string &bytes, const std::string &recorded, Random &random) {
  if (bytes.empty())
    return;
  const size_t at = upTo(random, bytes.size() - 1);
  const size_t size = upTo(random, std::min<size_t>(bytes.size() - at, 40));
  switch (random() % 10) {
  case 0:
    bytes[at] = char(bytes[at] ^ (1 << random() % 8));
    break;
  case 1:
    bytes.erase(at, size);
    break;
  case 2:
    bytes.insert(at, bytes.substr(at, size));
    break;
  case 3:
    bytes.resize(at);
    break;
  case 4:
    for (size_t i = 0; i < size; ++i)
      bytes[at + i] = char(random());
    break;
  case 5: // changes the sizes of frames
    for (size_t i = 0; i < std::min<size_t>(size, 4); ++i)
      bytes[at + i] = char(random() % 2 ? 0xff : 0);
    break;
  case 6:
    if (!recorded.empty())
      bytes = recorded.substr(upTo(random, recorded.size() - 1));
    break;
  case 7:
    std::rotate(bytes.begin(), bytes.begin() + ptrdiff_t(at), bytes.end());
    break;
  default:
    break;
  }
}

void checkPrefix(const std::vector<std::string> &heard,
                 const std::vector<std::string> &said) {
  REQUIRE(heard.size() <= said.size());
  REQUIRE(std::equal(heard.begin(), heard.end(), said.begin()));
}

} // namespace

TEST_CASE("whatever is done to the bytes, what is heard was said") {
  std::string recorded;
  int proven = 0, whole = 0;
  for (unsigned seed = 1; seed <= 5000; ++seed) {
    Random random(seed);
    CAPTURE(seed);
    Line line;
    const std::vector<std::string> said = {"1one", "2", "3three"};
    line.asks.connection->say(1, "one");
    const unsigned rare = 1 + random() % 8;
    for (int turn = 0; turn < 4; ++turn) {
      line.answers.connection->work();
      std::string down = line.answers.take();
      if (random() % rare == 0)
        mutate(down, recorded, random);
      line.asks.give(down);
      std::string up = line.asks.take();
      recorded = (up + recorded).substr(0, 400);
      if (random() % rare == 0)
        mutate(up, recorded, random);
      line.answers.give(up);
      if (turn == 1) {
        line.asks.connection->say(2, "");
        line.asks.connection->say(3, "three");
      }
    }
    const std::vector<std::string> heard = line.answers.heard();
    checkPrefix(heard, said);
    REQUIRE(line.asks.heard().empty());
    proven += line.answers.connection->isProven();
    whole += heard.size() == said.size();
  }
  CHECK(proven > 500); // otherwise nothing was tested
  CHECK(proven < 5000);
  CHECK(whole > 500);
}

TEST_CASE("changed frames are never heard") {
  Random random(1);
  for (int round = 0; round < 5000; ++round) {
    Line line;
    line.carry();
    std::vector<std::string> said;
    std::string bytes;
    for (int i = 0; i < 8; ++i) {
      const std::string text(upTo(random, 50), char('a' + i));
      line.asks.connection->say(1, text);
      line.asks.connection->work();
      bytes += line.asks.take();
      said.push_back("1" + text);
    }
    const std::string right = bytes;
    while (bytes == right)
      mutate(bytes, right, random);
    // Give the bytes in pieces of random size.
    for (size_t at = 0; at < bytes.size();) {
      const size_t size = 1 + upTo(random, bytes.size() - at - 1);
      line.answers.give(std::string_view(bytes).substr(at, size));
      at += size;
    }
    checkPrefix(line.answers.heard(), said);
  }
}

TEST_CASE("garbage proves nothing") {
  Random random(1);
  for (int round = 0; round < 20000; ++round) {
    End end(random() % 2 ? Side::asks : Side::answers);
    std::string bytes(upTo(random, 200), 0);
    for (char &byte : bytes)
      byte = char(random());
    end.give(bytes);
    REQUIRE(!end.connection->isProven());
    REQUIRE(end.connection->isBroken() == (bytes.size() >= 64));
    REQUIRE(end.heard().empty());
  }
}
