//===- LaneCostsTest.cpp ----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/LaneCosts.h"

#include "compiler/plan/TimeModel.h"
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
  CHECK(costs.of(sched::Protocol::simple).step == 1.5);
  CHECK(costs.of(sched::Protocol::simple).rate == 40);
  CHECK(costs.of(sched::Protocol::low_latency).step == 0.5);
  CHECK(costs.of(sched::Protocol::low_latency).rate == 9);
  CHECK(modelCosts().of(sched::Protocol::simple).rate ==
        costsOf(Protocol::simple).laneRate);
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
  CHECK(error("[]") == "a.costs:1:1: error: expected an object, got an array");
  CHECK(textOf(costsAt("/none.costs").takeError()) ==
        "/none.costs: error: cannot read: No such file or directory");
}
