//===- SuccessionTest.cpp - ranks hear of a hub's end in turn -------------===//
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

/// Rank 0, which the test plays. It accepts the others but passes nothing on,
/// and hangs up on one of them at a time.
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

  /// Serves until all other ranks are accepted.
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
  /// Returns how often the rank has sent its records.
  int told(int rank) { return ranks_.at(rank).told; }
  bool hasLeft(int rank) { return ranks_.at(rank).left; }
  void say(int rank, ControlKind kind, std::string_view text) {
    ranks_.at(rank).connection->say(uint32_t(kind), text);
  }
  /// Sends the value of a rank's word.
  void tell(int rank, int of, uint64_t value) {
    MirroredState state;
    say(rank, ControlKind::records,
        numbered(uint32_t(of), state.changes({{}, {}, {&value}}, true)));
  }
  void hangUp(int rank) {
    ranks_.at(rank).connection->work(); // send what was said before
    ranks_.erase(rank);
  }

private:
  struct One {
    std::unique_ptr<ControlConnection> connection;
    Introduction introduction;
    int told = 0;
    bool left = false;
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
      while (one.connection->hear(kind, text)) {
        one.told += kind == uint32_t(ControlKind::records);
        one.left |= kind == uint32_t(ControlKind::gone);
      }
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

/// Lets the hub accept all other ranks.
void joinRest(Ranks &ranks, Directory &directory, LazyHub &hub) {
  std::vector<std::thread> threads;
  std::atomic<int> joined{0};
  for (int rank = 1; rank < ranks.count(); ++rank)
    threads.emplace_back([&, rank] {
      ranks.join(rank, directory.place());
      ++joined;
    });
  hub.takeIn();
  CHECK(hub.serveUntil([&] { return directory.complete(); }));
  CHECK(hub.serveUntil([&] { return joined == ranks.count() - 1; }));
  for (std::thread &thread : threads)
    thread.join();
  ranks.expectJoined();
}

/// Changes a rank's word and waits until the hub hears of it.
void tell(Ranks &ranks, LazyHub &hub, int rank, uint64_t value) {
  const int before = hub.told(rank);
  ranks.memoryOf(rank).set(rank, value);
  const uint64_t one = 1;
  CHECK(write(ranks.planes[size_t(rank)]->bell(), &one, sizeof(one)) > 0);
  CHECK(hub.serveUntil([&] { return hub.told(rank) > before; }));
}

} // namespace

TEST_CASE("who comes to the next hub before it knows is told what it says") {
  Ranks ranks({0, 0, 1});
  Directory directory(ranks.secret);
  LazyHub hub(ranks.secret, directory.place(), 3);
  joinRest(ranks, directory, hub);
  tell(ranks, hub, 1, 11);
  tell(ranks, hub, 2, 5);
  hub.hangUp(2); // rank 1 accepts it, and has heard nothing
  CHECK(hub.serveUntil([&] { return ranks.memoryOf(2).get(1) == 11; }));
  tell(ranks, hub, 1, 12);
  hub.hangUp(1);
  CHECK(eventually([&] { return ranks.memoryOf(2).get(1) == 12; }));
  CHECK(eventually([&] { return ranks.memoryOf(1).get(2) == 5; }));
}

TEST_CASE("who comes to the next hub before it knows hears nothing old") {
  Ranks ranks({0, 1, 2});
  Directory directory(ranks.secret);
  LazyHub hub(ranks.secret, directory.place(), 3);
  joinRest(ranks, directory, hub);
  const auto serveUntil = [&](int rank, int of, uint64_t value) {
    return hub.serveUntil(
        [&] { return ranks.memoryOf(rank).get(of) == value; });
  };
  hub.tell(1, 0, 4);
  hub.tell(2, 0, 4);
  hub.tell(2, 0, 5); // also for rank 1, which it reaches later
  REQUIRE(serveUntil(1, 0, 4));
  REQUIRE(serveUntil(2, 0, 5));
  tell(ranks, hub, 1, 11);
  hub.hangUp(2); // rank 1 accepts it
  REQUIRE(serveUntil(2, 1, 11));
  CHECK(ranks.memoryOf(2).get(0) == 5);
  hub.tell(1, 0, 5);
  hub.hangUp(1);
  CHECK(eventually([&] { return ranks.memoryOf(1).get(0) == 5; }));
  CHECK(ranks.memoryOf(2).get(0) == 5);
}

TEST_CASE("the next hub hears the one before to its end first") {
  Ranks ranks({0, 1, 2});
  ranks.silence = std::chrono::milliseconds(2000);
  Directory directory(ranks.secret);
  LazyHub hub(ranks.secret, directory.place(), 3);
  joinRest(ranks, directory, hub);
  // Rank 2 comes to rank 1 because its connection to the hub has ended.
  hub.tell(1, 2, 4);
  REQUIRE(hub.serveUntil([&] { return ranks.memoryOf(1).get(2) == 4; }));
  ranks.memoryOf(2).set(2, 6);
  tell(ranks, hub, 1, 11);
  hub.hangUp(2);
  REQUIRE(hub.serveUntil([&] { return ranks.memoryOf(2).get(1) == 11; }));
  // Rank 2 has been told records, so it sends its own and then says goodbye.
  // The goodbye is not answered before rank 1 has heard everything.
  std::atomic<bool> left{false};
  std::thread leaving([&] {
    ranks.leave(2);
    left = true;
  });
  const Clock::time_point turns = Clock::now() + ranks.silence / 4;
  CHECK(hub.serveUntil([&] { return left || Clock::now() > turns; }));
  CHECK_FALSE(left);
  hub.tell(1, 2, 5); // was still on its way
  hub.hangUp(1);
  leaving.join();
  CHECK(ranks.memoryOf(1).get(2) == 6);
}

TEST_CASE("who has said goodbye leaves the server's memory to the next one") {
  Ranks ranks({0, 1, 1});
  Directory directory(ranks.secret);
  LazyHub hub(ranks.secret, directory.place(), 3);
  joinRest(ranks, directory, hub);
  hub.tell(1, 0, 4);
  REQUIRE(hub.serveUntil([&] { return ranks.memoryOf(1).get(0) == 4; }));
  std::thread leaving([&] { ranks.leave(1); });
  REQUIRE(hub.serveUntil([&] { return hub.hasLeft(1); }));
  hub.say(2, ControlKind::gone, numbered(1, ""));
  hub.tell(2, 0, 6);
  REQUIRE(hub.serveUntil([&] { return ranks.memoryOf(1).get(0) == 6; }));
  hub.tell(1, 0, 5); // sent before the hub heard the goodbye
  hub.say(1, ControlKind::gone, numbered(1, ""));
  std::atomic<bool> left{false};
  std::thread ends([&] {
    leaving.join();
    left = true;
  });
  CHECK(hub.serveUntil([&] { return left.load(); }));
  ends.join();
  CHECK(ranks.memoryOf(1).get(0) == 6);
}

TEST_CASE("what comes after a goodbye that nobody has heard is written") {
  Ranks ranks({0, 1, 2, 2});
  Directory directory(ranks.secret);
  LazyHub hub(ranks.secret, directory.place(), 4);
  joinRest(ranks, directory, hub);
  std::thread leaving([&] { ranks.leave(2); });
  REQUIRE(hub.serveUntil([&] { return hub.hasLeft(2); }));
  hub.tell(2, 0, 5);
  for (int rank = 1; rank < 4; ++rank) {
    hub.say(rank, ControlKind::gone, numbered(0, ""));
    hub.hangUp(rank);
  }
  leaving.join();
  CHECK(ranks.memoryOf(2).get(0) == 5);
}
