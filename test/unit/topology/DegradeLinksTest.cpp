//===- DegradeLinksTest.cpp - machines with broken or slow links ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/DegradeLinks.h"

#include "test/unit/topology/TestTopology.h"

#include <cmath>

using namespace blink;
using namespace blink::test;

namespace {

LinkEdit without(const std::string &ends) {
  return {ends, std::nullopt, "without " + ends};
}
LinkEdit limit(const std::string &ends, double gbps) {
  return {ends, gbps, "limit " + ends};
}

/// Returns a machine. a and b: nvlink with 30 GB/s there and 20 back, and pcie
/// with 10 each way. a to s: one way, 5.
Topology small() {
  return makeTopology(
      R"({"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"},
         {"id": "s", "kind": "switch"}, {"id": "n", "kind": "nic"})",
      R"({"from": "a", "to": "b", "bandwidth": 30, "directed": true},
         {"from": "b", "to": "a", "bandwidth": 20, "directed": true},
         {"from": "a", "to": "b", "bandwidth": 10, "kind": "pcie"},
         {"from": "a", "to": "s", "bandwidth": 5, "directed": true})");
}

Topology degraded(Topology topology, const std::vector<LinkEdit> &edits) {
  return valueOf(degradeLinks(std::move(topology), edits)).topology;
}

std::vector<double> bandwidths(const Topology &topology) {
  std::vector<double> result;
  for (const Link &link : topology.links)
    result.push_back(link.bandwidth);
  return result;
}

std::string errorOf(const std::vector<LinkEdit> &edits) {
  return textOf(degradeLinks(small(), edits).takeError());
}

using Bandwidths = std::vector<double>;

} // namespace

TEST_CASE("links are taken away in both directions and of all kinds") {
  CHECK(bandwidths(small()) == Bandwidths{30, 20, 10, 10, 5});
  CHECK(bandwidths(degraded(small(), {without("a:b")})) == Bandwidths{5});
  CHECK(bandwidths(degraded(small(), {without("b:a")})) == Bandwidths{5});
  // A link in one direction only, named against its direction.
  CHECK(bandwidths(degraded(small(), {without("s:a")})) ==
        Bandwidths{30, 20, 10, 10});
  CHECK(degraded(small(), {without("a:b"), without("a:s")}).links.empty());
  CHECK(degraded(small(), {}).fingerprint() == small().fingerprint());
}

TEST_CASE("a limit is of all parallel links together, each way") {
  // 40 there becomes 20 and 30 back becomes 20, in proportion.
  CHECK(bandwidths(degraded(small(), {limit("b:a", 20)})) ==
        Bandwidths{15, 20.0 * (20.0 / 30), 5, 20.0 * (10.0 / 30), 5});
  // A direction that is already below the limit does not change.
  CHECK(bandwidths(degraded(small(), {limit("a:b", 36)})) ==
        Bandwidths{27, 20, 9, 10, 5});
  CHECK(bandwidths(degraded(small(), {limit("s:a", 0.1)})) ==
        Bandwidths{30, 20, 10, 10, 0.1});
  // Leaves one of two NVLinks.
  Topology machine =
      degraded(shippedTopology("dgx1"), {limit("gpu0:gpu3", 25)});
  CHECK(machine.links[linkBetween(machine, "gpu0", "gpu3")].bandwidth == 25);
  CHECK(machine.links[linkBetween(machine, "gpu3", "gpu0")].bandwidth == 25);
  CHECK(machine.links[linkBetween(machine, "gpu0", "gpu4")].bandwidth == 50);
  CHECK(machine.name == "dgx1");
  CHECK(machine.fingerprint() != shippedTopology("dgx1").fingerprint());
}

TEST_CASE("the order and spelling of edits change nothing") {
  auto one = valueOf(degradeLinks(
      shippedTopology("dgx1"),
      {limit("gpu2:gpu1", 12.5), without("plx0:gpu0"), without("gpu3:gpu0")}));
  auto two = valueOf(degradeLinks(
      shippedTopology("dgx1"),
      {without("gpu0:gpu3"), without("gpu0:plx0"), limit("gpu1:gpu2", 12.5)}));
  CHECK(one.topology.fingerprint() == two.topology.fingerprint());
  CHECK(describeEdits(one.edits) ==
        "without gpu0:gpu3, gpu0:plx0; gpu1:gpu2 limited to 12.5 GB/s");
  CHECK(describeEdits(one.edits) == describeEdits(two.edits));
  CHECK(describeEdits({}).empty());
  CHECK(describeEdits({limit("a:b", 3)}) == "a:b limited to 3 GB/s");
}

TEST_CASE("ids may hold colons") {
  Topology bus = small();
  bus.nodes[0].id = "07:00.0";
  bus.nodes[1].id = "0a:00.0";
  CHECK(bandwidths(degraded(bus, {without("0a:00.0:07:00.0")})) ==
        Bandwidths{5});
  CHECK(textOf(degradeLinks(bus, {without("07:00.0:0b:00.0")}).takeError()) ==
        "without 07:00.0:0b:00.0: 'test' has no node '0b:00.0'; 07:00.0 has "
        "links to 0a:00.0, s");
  Topology unclear = small();
  unclear.nodes[1].id = "b:s";
  unclear.nodes[3].id = "a:b";
  CHECK(textOf(degradeLinks(unclear, {without("a:b:s")}).takeError())
            .find("can be read in several ways") != std::string::npos);
}

TEST_CASE("what cannot be done is said with place and remedy") {
  CHECK(errorOf({without("a")}) ==
        "without a: 'a' is not a link; write the ids of its two nodes with ':' "
        "between, as in gpu0:gpu1");
  CHECK(errorOf({without("")}).find("without : '' is not a link") == 0);
  CHECK(errorOf({without("a:x")}) ==
        "without a:x: 'test' has no node 'x'; a has links to b, s");
  CHECK(errorOf({without("x:a")}) ==
        "without x:a: 'test' has no node 'x'; there are a, b, s, n");
  CHECK(errorOf({without(":")}) ==
        "without :: 'test' has no node ''; there are a, b, s, n");
  CHECK(errorOf({without("a:a")}) ==
        "without a:a: names one node twice; name two that a link joins: a has "
        "links to b, s");
  CHECK(errorOf({without("b:s")}) ==
        "without b:s: no link joins b and s; b has links to a");
  CHECK(errorOf({without("n:b")}) ==
        "without n:b: no link joins b and n; b has links to a");
  CHECK(errorOf({without("n:x")}) ==
        "without n:x: 'test' has no node 'x'; n has no links");
  CHECK(errorOf({without("a:b"), limit("b:a", 1)}) ==
        "limit b:a: the links between a and b are named a second time; say "
        "once what is left of them");
  for (double much : {40.0, 41.0, 1e300})
    CHECK(errorOf({limit("a:b", much)}) ==
          "limit a:b: the links between a and b have at most 40 GB/s each way; "
          "a limit must be below that");
  CHECK(errorOf({limit("a:b", 0.001)}) ==
        "limit a:b: leaves 0.00075 GB/s of the nvlink link; expected 0.001 to "
        "1000000 GB/s of each, so give a higher limit, or take them all away");
}

TEST_CASE("limits are read") {
  LinkEdit edit = valueOf(parseLinkLimit("gpu0:gpu1=12.5", "here"));
  CHECK(edit.ends == "gpu0:gpu1");
  CHECK(edit.limit == 12.5);
  CHECK(edit.place == "here");
  CHECK(valueOf(parseLinkLimit("a=b:c=1e-3", "here")).ends == "a=b:c");
  for (const char *text :
       {"gpu0:gpu1=12.5", "a:b=12.345678901234567", "a:b=0.001"})
    CHECK(valueOf(parseLinkLimit(text, "here")).toString() == text);
  CHECK(without("a:b").toString() == "a:b");
  CHECK(textOf(parseLinkLimit("gpu0:gpu1", "here").takeError()) ==
        "here: no limit in 'gpu0:gpu1'; write what is left in GB/s behind '=', "
        "as in gpu0:gpu1=12.5");
  for (const char *wrong : {"", "0", "-0", "-1", "nan", "inf", "-inf", "1e999",
                            "12,5", "x", "5GB", "0.0009", "1000001"})
    CHECK(
        textOf(
            parseLinkLimit(std::string("a:b=") + wrong, "here").takeError()) ==
        std::string("here: '") + wrong +
            "' is not a bandwidth; write 0.001 to 1000000 GB/s, or take the "
            "link away altogether");
}
