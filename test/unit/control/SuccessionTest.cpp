//===- SuccessionTest.cpp - ranks that hear of a hub's end one by one -----===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/ControlMessages.h"
#include "test/unit/control/Ranks.h"

#include <map>

using namespace blink;
using namespace blink::test;

namespace {

/// Rank 0, which the test plays: it takes the others in, passes nothing on, and
/// hangs up on one of them at a time.
class LazyHub {
public:
  LazyHub(const Secret &secret, const NetworkPlace &directory, int numRanks)
      : secret_(secret.derive("hub 0")), numRanks_(numRanks) {
    REQUIRE(listenOnNetwork(listener_).ok());
    NetworkPlace place = listener_.place;
    REQUIRE(findHub(secret, directory, numRanks, 0,
                    Clock::now() + std::chrono::seconds(60), {}, place)
                .ok());
  }

  /// Serves until all others are in.
  void takeIn() {
    REQUIRE(serveUntil([&] { return ranks_.size() + 1 == size_t(numRanks_); }));
    for (auto &[rank, one] : ranks_) {
      for (auto &[other, known] : ranks_)
        if (other != rank)
          one.connection->say(uint32_t(ControlKind::member),
                              messageOf(known.introduction));
      one.connection->say(uint32_t(ControlKind::accepted), "");
    }
  }
  template <typename Condition> bool serveUntil(const Condition &condition) {
    return eventually([&] {
      serve();
      return condition();
    });
  }
  /// How often the rank has told its records.
  int told(int rank) { return ranks_.at(rank).told; }
  void hangUp(int rank) { ranks_.erase(rank); }

private:
  struct One {
    std::unique_ptr<ControlConnection> connection;
    Introduction introduction;
    int told = 0;
  };

  void serve() {
    for (auto &connection : strangers_.work(listener_, secret_))
      strange_.push_back(std::move(connection));
    uint32_t kind;
    std::string text;
    for (auto &connection : strange_) {
      One one;
      if (connection)
        connection->work();
      if (!connection || !connection->hear(kind, text) ||
          !readMessage(text, one.introduction))
        continue;
      one.connection = std::move(connection);
      ranks_[int(one.introduction.rank)] = std::move(one);
    }
    for (auto &[rank, one] : ranks_) {
      one.connection->work();
      while (one.connection->hear(kind, text))
        one.told += kind == uint32_t(ControlKind::records);
      if (Clock::now() - one.connection->saidAt() >
          std::chrono::milliseconds(100))
        one.connection->say(uint32_t(ControlKind::alive), "");
    }
  }

  const Secret secret_;
  const int numRanks_;
  Listener listener_;
  Strangers strangers_;
  std::list<std::unique_ptr<ControlConnection>> strange_;
  std::map<int, One> ranks_;
};

} // namespace

TEST_CASE("who comes to the next hub before it knows is told what it says") {
  Ranks ranks({0, 0, 1});
  Directory directory(ranks.secret);
  LazyHub hub(ranks.secret, directory.place(), 3);
  std::thread first([&] { ranks.join(1, directory.place()); });
  std::thread second([&] { ranks.join(2, directory.place()); });
  hub.takeIn();
  CHECK(hub.serveUntil([&] { return directory.complete(); }));
  std::atomic<bool> joined{false};
  std::thread both([&] {
    first.join();
    second.join();
    joined = true;
  });
  CHECK(hub.serveUntil([&] { return joined.load(); }));
  both.join();
  ranks.expectJoined();
  const auto tell = [&](int rank, uint64_t value) {
    const int before = hub.told(rank);
    ranks.memoryOf(rank).set(rank, value);
    const uint64_t one = 1;
    CHECK(write(ranks.planes[size_t(rank)]->bell(), &one, sizeof(one)) > 0);
    CHECK(hub.serveUntil([&] { return hub.told(rank) > before; }));
  };
  tell(1, 11);
  tell(2, 5);
  hub.hangUp(2); // rank 1 takes it in, and has heard nothing
  CHECK(hub.serveUntil([&] { return ranks.memoryOf(2).get(1) == 11; }));
  tell(1, 12);
  hub.hangUp(1);
  CHECK(eventually([&] { return ranks.memoryOf(2).get(1) == 12; }));
  CHECK(eventually([&] { return ranks.memoryOf(1).get(2) == 5; }));
}
