//===- LaneCostsTest.cpp ----------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/LaneCosts.h"

#include "compiler/plan/ExpandForest.h"
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
  CHECK(costs.of(sched::Protocol::simple, 1).notice == 0);
  CHECK(modelCosts().of(sched::Protocol::simple, 1 << 30).rate ==
        costsOf(Protocol::simple).laneRate);
  CHECK(modelCosts().of(sched::Protocol::low_latency, 1).notice ==
        costsOf(Protocol::low_latency).overhead);
  const DeviceCosts late = valueOf(parseCosts(
      file(R"([{"bytes": 0, "step_us": 1, "lane_gbps": 40, "gap_us": 0.5,
                "notice_us": 3}])"),
      "a.costs"));
  CHECK(late.of(sched::Protocol::simple, 9).notice == 3);
  CHECK(late.of(sched::Protocol::simple, 9).gap == 0.5);
  CHECK(late.of(sched::Protocol::simple, 9).reduceRate == 0);
}

TEST_CASE("what a chunk of a network channel costs") {
  FoldProgram program = test::chain(4); // with 1 us each
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
  // The rank that reads a chunk waits for the engine; the writer's engine works
  // while links carry the chunk.
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
  CHECK(rate(32 << 10) == doctest::Approx(25)); // half way, logarithmically
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

TEST_CASE("a rate without a limit next to one that has a limit") {
  const DeviceCosts costs =
      valueOf(parseCosts(file(R"([{"bytes": 1024, "step_us": 1, "lane_gbps": 0},
               {"bytes": 1048576, "step_us": 1, "lane_gbps": 10},
               {"bytes": 1073741824, "step_us": 1, "lane_gbps": 10,
                "reduce_gbps": 4}])"),
                         "a.costs"));
  auto between = [&](uint64_t bytes) {
    return costs.of(sched::Protocol::simple, bytes);
  };
  CHECK(between(1024).rate == 0);
  CHECK(between(32 << 10).rate == doctest::Approx(20)); // half of 0.1 ns
  // Without a rate of their own, folds that reduce have that of the others.
  CHECK(between(32 << 20).rate == doctest::Approx(10));
  CHECK(between(32 << 20).reduceRate == doctest::Approx(7));
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

namespace {

/// Three servers with one GPU each, and channels from the first to the others,
/// or back. The second server is 50 microseconds further away than the third.
struct Servers {
  RankTopology machine = serversOf({100, 100, 100}, /*latency=*/10);
  FoldProgram program = emptyProgram(Collective::broadcast, machine);
  SimulationOptions options;
  int toFar = -1, toNear = -1;

  explicit Servers(bool back) {
    const PathTable table = machine.cheapestPaths(
        std::vector<double>(machine.topology().links.size(), 1));
    program.trees.push_back({});
    program.trees[0].share = 1;
    const auto channel = [&](int far) {
      const int from = back ? far : 0, to = back ? 0 : far;
      return valueOf(
                 connect(program, machine, 0, {from, to, table.path(from, to)}))
          .entry;
    };
    toFar = channel(1);
    toNear = channel(2);
    for (const char *end : {"g1", "n1"}) {
      const int out =
          linkBetween(machine.topology(), end, end[0] == 'g' ? "n1" : "s");
      const int in =
          linkBetween(machine.topology(), end[0] == 'g' ? "n1" : "s", end);
      program.links[back ? out : in].latency += 25;
    }
    options.engineCosts = {7, 7};
  }
  /// Returns the simulated time; links take almost nothing for 16 bytes.
  double microseconds() {
    for (FoldProgram::Rank &rank : program.ranks)
      rank.lanes.assign(1, {0});
    return valueOf(simulate(program, sched::Protocol::simple, 16, 16, options))
        .microseconds;
  }
};

} // namespace

TEST_CASE("costs are options of a simulation") {
  const Servers servers(false);
  SimulationOptions options;
  options.stepCost = 10;
  modelCosts().addTo(options, servers.program, sched::Protocol::simple, 1024);
  CHECK(options.stepCost == 12);
  CHECK(options.laneRate == 50);
  CHECK(options.notice == 2);
  CHECK(options.gap == 0.25);
  CHECK(options.engineCosts == modelCosts().enginesOf(servers.program));
}

TEST_CASE("messages that a fold writes leave one by one, in its order") {
  using Operand = FoldProgram::Operand;
  const auto time = [](bool farFirst) {
    Servers servers(/*back=*/false);
    const Operand far = Operand::channel(servers.toFar);
    const Operand near = Operand::channel(servers.toNear);
    servers.program.addFold(0, 0, false, {Operand::input()},
                            {farFirst ? far : near, farFirst ? near : far});
    servers.program.addFold(1, 0, false, {far}, {Operand::output()});
    servers.program.addFold(2, 0, false, {near}, {Operand::output()});
    return servers.microseconds();
  };
  // A message is made, travels, and is taken; or it is made after the other
  // one.
  CHECK(time(true) == doctest::Approx(7 + 70 + 7).epsilon(1e-3));
  CHECK(time(false) == doctest::Approx(14 + 70 + 7).epsilon(1e-3));
}

TEST_CASE("a lane that waits takes what has come") {
  using Operand = FoldProgram::Operand;
  Servers servers(/*back=*/true);
  const Operand far = Operand::channel(servers.toFar);
  const Operand near = Operand::channel(servers.toNear);
  servers.program.addFold(0, 0, true, {far, near}, {Operand::output()});
  servers.program.addFold(1, 0, false, {Operand::input()}, {far});
  servers.program.addFold(2, 0, false, {Operand::input()}, {near});
  // The message from near by was taken 43 microseconds earlier.
  CHECK(servers.microseconds() == doctest::Approx(7 + 70 + 7).epsilon(1e-3));
}
