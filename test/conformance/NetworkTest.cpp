//===- NetworkTest.cpp - jobs of processes with network channels ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Tested as shipped: the runtime loads libblink_network.so when a job needs it.
//
//===----------------------------------------------------------------------===//

#include "test/common/Cluster.h"
#include "test/common/Folders.h"
#include "test/conformance/Workers.h"

#include "doctest/doctest.h"

using namespace blink;
using namespace blink::test;

namespace {

/// Environment of the workers: the module's folder, and the network device.
struct Environment {
  explicit Environment(const std::string &folder = networkFolder()) {
    setenv("LD_LIBRARY_PATH", folder.c_str(), 1);
    setenv("BLINK_SOCKET_IFNAME", "=lo", 1);
    // LeakSanitizer itself crashes on modules that are loaded late.
    setenv("LSAN_OPTIONS", "detect_leaks=0", 1);
  }
  ~Environment() {
    unsetenv("LSAN_OPTIONS");
    unsetenv("LD_LIBRARY_PATH");
    unsetenv("BLINK_SOCKET_IFNAME");
    unsetenv("BLINK_NET_DEVICES");
  }
};

TestSchedule onServers(int ranks, const std::vector<int> &serverOf, int rails) {
  BuildOptions layout;
  layout.shape = Shape::random;
  layout.treesPerBlock = 2;
  layout.chunkBytes = 1024;
  TestSchedule model = allCollectives(ranks, ranks - 1, layout);
  spread(model, serverOf, rails);
  return model;
}

} // namespace

TEST_CASE("network channels of processes get right results") {
  const Environment environment;
  expectGood(onServers(2, {0, 1}, 1), 2, "cases");
  if (!kSanitized)
    expectGood(onServers(4, {0, 0, 1, 1}, 2), 4, "cases");
}

TEST_CASE("a process that dies amid network channels is named") {
  const Environment environment;
  TestSchedule model = makeSchedule(Collective::allreduce, 0, 3, {});
  spread(model, {0, 1, 2});
  const std::vector<Outcome> outcomes = runAll(model, 3, "kill:2:0:0:10:large");
  for (int rank : {0, 1}) {
    CAPTURE(outcomes[size_t(rank)].line);
    CHECK(outcomes[size_t(rank)].has("the process of rank 2"));
    CHECK(outcomes[size_t(rank)].has("has died"));
  }
}

TEST_CASE("what a job with network channels lacks is said, with a remedy") {
  const TestSchedule model = onServers(2, {0, 1}, 1);
  {
    const Environment nowhere("/nowhere");
    for (const Outcome &outcome : runAll(model, 2, "cases")) {
      CAPTURE(outcome.line);
      CHECK(outcome.has("the schedule has channels of kind network, and "
                        "libblink_network.so, which carries them, cannot be "
                        "loaded"));
      CHECK(outcome.has("install UCX"));
    }
  }
  const Environment environment;
  setenv("BLINK_NET_DEVICES", "nic9=lo", 1);
  for (const Outcome &outcome : runAll(model, 2, "cases")) {
    CAPTURE(outcome.line);
    CHECK(outcome.has("BLINK_NET_DEVICES names the NIC `nic9`"));
  }
}

TEST_CASE("in one process network channels are memory") {
  const Environment nowhere("/nowhere");
  const Job job(onServers(4, {0, 0, 1, 1}, 1), 4);
  Case c;
  c.count = 1000;
  CHECK(runCase(job, c) == "");
}
