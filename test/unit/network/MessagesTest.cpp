//===- MessagesTest.cpp - data from outside is not trusted ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/unit/network/Pair.h"

using namespace blink;
using namespace blink::test;

namespace {

/// Sends one message that `change` makes wrong, and returns why the connection
/// ended.
template <typename Change> std::string over(const Change &change) {
  WithStranger pair;
  MessageHeader header = WithStranger::chunk();
  uint64_t bytes = 8;
  change(pair, header, bytes);
  pair.say(header, bytes);
  const std::string why = pair.end();
  CHECK(pair.client.get(&NotingClient::arrivals) == 0);
  return why;
}

bool noRing(const std::string &why) {
  CAPTURE(why);
  return why == "the NIC of rank 1 from the NIC of rank 0, on lo: what came "
                "belongs to no ring";
}

} // namespace

TEST_CASE("a right message arrives, and one without the key does not") {
  WithStranger pair;
  pair.connection->key ^= 1;
  pair.say(WithStranger::chunk());
  pair.connection->key ^= 1;
  --pair.connection->sent;
  pair.say(WithStranger::chunk());
  const auto arrived = [&] {
    return pair.client.get(&NotingClient::arrivals) == 1;
  };
  CHECK(eventually([&] { pair.carryOn(); }, arrived));
  CHECK(pair.client.get(&NotingClient::why) == "");
}

TEST_CASE("messages that belong to no ring break the connection") {
  CHECK(noRing(over([](auto &, MessageHeader &header, uint64_t &) {
    header.ring = 1; // that ring begins there
  })));
  CHECK(noRing(over([](auto &, MessageHeader &header, uint64_t &) {
    header.ring = 7000000;
  })));
  CHECK(noRing(over([](auto &, MessageHeader &header, uint64_t &) {
    header.tag = 2; // the first tag is 1
  })));
  CHECK(noRing(over([](auto &, MessageHeader &header, uint64_t &) {
    header.offset = NotingClient::kBytes - 7;
  })));
  CHECK(noRing(over([](auto &, MessageHeader &header, uint64_t &bytes) {
    header.offset = ~uint64_t(0);
    bytes = 2;
  })));
  CHECK(noRing(over([](auto &, MessageHeader &header, uint64_t &) {
    header.creditRing = 1;
    header.credit = 1; // nothing has been sent
  })));
  CHECK(noRing(over([](auto &, MessageHeader &header, uint64_t &bytes) {
    header.kind = MessageKind::credit;
    header.creditRing = 0; // begins at the stranger's end
    bytes = 0;
  })));
}

TEST_CASE("messages out of order, or of no kind, break it too") {
  const std::string skipped = over([](WithStranger &pair, MessageHeader &,
                                      uint64_t &) { ++pair.connection->sent; });
  CHECK(skipped.find("message 2 came instead of 1") != std::string::npos);
  const std::string kind = over([](auto &, MessageHeader &header, uint64_t &) {
    header.kind = MessageKind(77);
  });
  CHECK(kind.find("received bytes that are not a message") !=
        std::string::npos);
}

TEST_CASE("who is silent is lost, and who said goodbye is not") {
  setenv("BLINK_HEARTBEAT_MS", "200", 1);
  {
    WithStranger pair;
    CHECK(pair.end() == "the NIC of rank 1 from the NIC of rank 0, on lo: no "
                        "heartbeat for 200 ms");
  }
  {
    WithStranger pair;
    MessageHeader goodbye{};
    goodbye.kind = MessageKind::goodbye;
    goodbye.creditRing = MessageHeader::kNone;
    pair.say(goodbye, 0);
    pair.say(WithStranger::chunk()); // so that what came before has been read
    const auto arrived = [&] {
      return pair.client.get(&NotingClient::arrivals) == 1;
    };
    CHECK(eventually([&] { pair.carryOn(); }, arrived));
    pair.worker.reset();
    const Clock::time_point later =
        Clock::now() + std::chrono::milliseconds(400);
    CHECK(eventually([&] { pair.carryOn(); },
                     [&] { return Clock::now() > later; }));
    CHECK(pair.client.get(&NotingClient::why) == "");
  }
  unsetenv("BLINK_HEARTBEAT_MS");
}

TEST_CASE("a connection that is closed without a goodbye is lost") {
  WithStranger pair;
  pair.worker.reset();
  const std::string why = pair.end();
  CAPTURE(why);
  CHECK(why.find("the NIC of rank 1 from the NIC of rank 0, on lo: ") == 0);
  CHECK(why.find("heartbeat") == std::string::npos); // it is lost at once
}

namespace {

/// Posts more chunks than a window of 1 allows, planned at 1 MB/s, to a
/// stranger. The stranger receives everything but keeps reporting that only
/// `there` bytes have arrived. Returns what the client finally hears in `said`.
std::string slowTo(uint64_t there, const char *leastRate,
                   std::string NotingClient::*said) {
  const std::vector<char> data(1000);
  setenv("BLINK_LEAST_RATE", leastRate, 1);
  WithStranger pair;
  unsetenv("BLINK_LEAST_RATE");
  for (uint64_t n = 0; n < 3; ++n)
    pair.transport->post({0, 0, n + 1, 0, data.size()}, data.data(),
                         {/*window=*/1, /*rate=*/1e6});
  MessageHeader heartbeat{};
  heartbeat.kind = MessageKind::heartbeat;
  heartbeat.creditRing = MessageHeader::kNone;
  heartbeat.offset = there;
  eventually(
      [&] {
        pair.say(heartbeat, 0);
        pair.carryOn();
      },
      [&] { return !pair.client.get(said).empty(); });
  return pair.client.get(said);
}

} // namespace

TEST_CASE("a connection with less than its least rate is lost") {
  CHECK(slowTo(0, "0.2", &NotingClient::why) ==
        "the NIC of rank 1 from the NIC of rank 0, on lo: 0 MB/s, where the "
        "schedule plans 1 MB/s, is less than BLINK_LEAST_RATE allows");
  CHECK(slowTo(1001, "0.2", &NotingClient::why)
            .find("more is there than was sent") != std::string::npos);
}

TEST_CASE("where any rate will do, a slow connection is worth a word") {
  CHECK(slowTo(0, "0", &NotingClient::warning) ==
        "the NIC of rank 0 to the NIC of rank 1: 0 MB/s, where the schedule "
        "plans 1 MB/s");
}

TEST_CASE("waiting for who never comes ends, with names") {
  NotingClient client;
  std::unique_ptr<Transport> transport;
  REQUIRE(createNetwork(twoRanks(true, false), client, transport).ok());
  std::string own;
  REQUIRE(transport->listen(0, own).ok());
  Worker silent{1, kAnyNic, "nobody", {"lo", false}};
  WithStranger::Silent none;
  std::string address;
  REQUIRE(silent.open(1, none).ok());
  REQUIRE(silent.address(address).ok());
  const Status status = transport->connect(
      {own, address}, Clock::now() + std::chrono::milliseconds(50), {});
  CHECK(status.text == "waited for connections: the NIC of rank 0, on lo, for "
                       "the NIC of rank 1: can each device reach the other?");
  const Status ended =
      transport->connect({own, ""}, Clock::now() + std::chrono::seconds(20),
                         [] { return Status(blinkRemoteError, "it is over"); });
  CHECK(ended.text == "it is over");
}

namespace {

/// Returns a transport's error for a value of a setting.
std::string refusalOf(const char *setting, const char *value) {
  setenv(setting, value, 1);
  NotingClient client;
  std::unique_ptr<Transport> transport;
  const Status status = createNetwork(twoRanks(true, true), client, transport);
  unsetenv(setting);
  CAPTURE(status.text);
  CHECK(!status.ok());
  return status.text;
}

} // namespace

TEST_CASE("settings that make no sense are refused") {
  for (const char *value : {"0", "-5", "soon", "10s", "99999999999"})
    CHECK(
        refusalOf("BLINK_HEARTBEAT_MS", value).find("expected 20 to 3600000") !=
        std::string::npos);
  for (const char *value : {"-0.1", "1.5", "20%", "nan", "slow"})
    CHECK(refusalOf("BLINK_LEAST_RATE", value)
              .find("expected 0 to 1, the part") != std::string::npos);
}
