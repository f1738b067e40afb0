//===- LaneCostsTest.cpp ----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/LaneCosts.h"

#include "compiler/plan/TimeModel.h"
#include "compiler/simulate/Simulate.h"
#include "test/unit/simulate/SimulateSupport.h"
#include "test/unit/topology/TestTopology.h"

using namespace blink;
using namespace blink::test;

static std::string file(const char *simple, const char *rest = "") {
  return std::string("{\"format\": \"blink-costs\", \"version\": 1, "
                     "\"device\": \"a GPU\",\n\"simple\": ") +
         simple + ",\n\"low_latency\": {\"step_us\": 0.5, \"lane_gbps\": 9}" +
         rest + "}";
}

TEST_CASE("costs of a device by protocol") {
  const DeviceCosts costs = valueOf(
      parseCosts(file(R"({"step_us": 1.5, "lane_gbps": 40})"), "a.costs"));
  CHECK(costs.device == "a GPU");
  CHECK(costs.of(sched::Protocol::simple, 1).step == 1.5);
  CHECK(costs.of(sched::Protocol::simple, 1).rate == 40);
  CHECK(costs.of(sched::Protocol::low_latency, 1).step == 0.5);
  CHECK(costs.of(sched::Protocol::low_latency, 1).rate == 9);
  CHECK(modelCosts().of(sched::Protocol::simple, 1 << 30).rate ==
        costsOf(Protocol::simple).laneRate);
}

TEST_CASE("what a chunk of a network channel costs") {
  FoldProgram program = test::chain(4); // of 1 us each
  program.channels[1].kind = sched::ChannelKind::network;
  using Costs = std::vector<double>;
  CHECK(modelCosts().enginesOf(program) == Costs{0, 0.5});
  const DeviceCosts costs = valueOf(parseCosts(
      file(R"({"step_us": 1.5, "lane_gbps": 40})", R"(, "network_us": 7)"),
      "a.costs"));
  CHECK(costs.enginesOf(program) == Costs{0, 7});
  CHECK(textOf(parseCosts(file(R"({"step_us": 1, "lane_gbps": 1})",
                               R"(, "network_us": "much")"),
                          "a.costs")
                   .takeError()) ==
        "a.costs:3:64: error: network_us must be a number of 0 to 1e6");
  // For who reads a chunk; who writes it does so while links carry it.
  SimulationOptions options;
  const auto time = [&] {
    return valueOf(simulate(program, sched::Protocol::simple, 64 << 10,
                            64 << 10, options))
        .microseconds;
  };
  const double before = time();
  options.engineCosts = costs.enginesOf(program);
  CHECK(time() == doctest::Approx(before + 7));
}

TEST_CASE("costs that depend on the size of messages") {
  const DeviceCosts costs = valueOf(
      parseCosts(file(R"([{"bytes": 1024, "step_us": 1, "lane_gbps": 40},
               {"bytes": 1048576, "step_us": 3, "lane_gbps": 10}])",
                      R"(, "host": {"processors": 2, "call_us": 0.5,
              "notice_us": 0.25, "switch_us": 0.75, "borrow_bytes": 4097})"),
                 "a.costs"));
  auto rate = [&](uint64_t bytes) {
    return costs.of(sched::Protocol::simple, bytes).rate;
  };
  CHECK(rate(1) == 40);
  CHECK(rate(1024) == 40);
  CHECK(rate(32 << 10) == doctest::Approx(25)); // half way by logarithm
  CHECK(costs.of(sched::Protocol::simple, 32 << 10).step == doctest::Approx(2));
  CHECK(rate(1 << 20) == 10);
  CHECK(rate(1 << 30) == 10);
  CHECK(costs.host->processors == 2);
  CHECK(costs.host->call == 0.5);
  CHECK(costs.host->notice == 0.25);
  CHECK(costs.host->turn == 0.75);
  CHECK(costs.host->borrowBytes == 4097);
  CHECK(!modelCosts().host);
}

TEST_CASE("what is wrong with a file of costs, and where") {
  auto error = [](const std::string &text) {
    return textOf(parseCosts(text, "a.costs").takeError());
  };
  CHECK(error("{").substr(0, 26) == "a.costs:1:2: error: syntax");
  CHECK(error(file(R"({"step_us": -1, "lane_gbps": 40})")) ==
        "a.costs:2:23: error: step_us must be a number, at least 0");
  CHECK(error(file(R"({"step_us": 1, "lane_gbps": "fast"})")) ==
        "a.costs:2:39: error: lane_gbps must be a number, at least 0");
  CHECK(error(file(R"({"step_us": 1})")) ==
        "a.costs:2:11: error: key \"lane_gbps\" is missing");
  CHECK(error(file(R"({"step_us": 1, "step_us": 1, "lane_gbps": 1})")) ==
        "a.costs:2:26: error: key \"step_us\" is there twice");
  CHECK(error(file("7")) ==
        "a.costs:2:11: error: expected an object, got a number");
  CHECK(error(file(R"({"step_us": 1, "lane_gbps": 1})", ", \"more\": 1")) ==
        "a.costs:3:50: error: unknown key \"more\"");
  CHECK(error(file("[]")) == "a.costs:2:11: error: expected at least one row");
  CHECK(error(file(R"([{"bytes": 9, "step_us": 1, "lane_gbps": 1},
{"bytes": 9, "step_us": 1, "lane_gbps": 1}])")) ==
        "a.costs:3:1: error: bytes must ascend from row to row");
  CHECK(error(file(R"({"step_us": 1, "lane_gbps": 1})",
                   R"(, "host": {"processors": 0, "call_us": 1, "notice_us": 1,
"switch_us": 1, "borrow_bytes": 1})")) ==
        "a.costs:3:58: error: processors must be 1 to 1e6");
  CHECK(error("[]") == "a.costs:1:1: error: expected an object, got an array");
  CHECK(textOf(costsAt("/none.costs").takeError()) ==
        "/none.costs: error: cannot read: No such file or directory");
}
