//===- TopologyTest.cpp - words, checks and fingerprints ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The vocabulary, sets of link kinds, what check() refuses, and what changes a
// fingerprint.
//
//===----------------------------------------------------------------------===//

#include "test/unit/topology/TestTopology.h"

#include <cmath>
#include <limits>
#include <set>

using namespace blink;
using namespace blink::test;

TEST_CASE("words name their values both ways") {
  for (NodeKind kind : sched::EnumValuesNodeKind())
    CHECK(parseNodeKind(toString(kind)) == kind);
  for (LinkKind kind : sched::EnumValuesLinkKind())
    CHECK(parseLinkKind(toString(kind)) == kind);
  for (Collective collective : sched::EnumValuesCollective())
    CHECK(parseCollective(toString(collective)) == collective);
  CHECK(toString(NodeKind::switch_) == "switch");
  CHECK(toString(LinkKind::c2c) == "c2c");
  CHECK(toString(Collective::reducescatter) == "reducescatter");
  CHECK_FALSE(parseNodeKind("switch_"));
  CHECK_FALSE(parseLinkKind("NVLink"));
  CHECK_FALSE(parseCollective(""));
}

TEST_CASE("sets of link kinds") {
  CHECK(LinkKindSet::all().bits() == 0x3f);
  CHECK(bool(valueOf(parseLinkKinds("all")) == LinkKindSet::all()));
  LinkKindSet kinds = valueOf(parseLinkKinds("pcie,nvlink"));
  CHECK(kinds.contains(LinkKind::nvlink));
  CHECK(kinds.contains(LinkKind::pcie));
  CHECK_FALSE(kinds.contains(LinkKind::host));
  CHECK(toString(kinds) == "nvlink,pcie");
  CHECK(toString(valueOf(
            parseLinkKinds("network,xgmi,c2c,host,pcie,nvlink"))) == "all");
  for (const char *wrong : {"", "nvlink,", "nvlink,,pcie", "nvlink pcie", "NV"})
    CHECK(textOf(parseLinkKinds(wrong).takeError())
              .find("nvlink,pcie,host,c2c,xgmi,network") != std::string::npos);
}

namespace {

Topology smallTopology() {
  return makeTopology(R"({"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"},
                         {"id": "s", "kind": "switch"})",
                      R"({"from": "a", "to": "b", "bandwidth": 25},
                         {"from": "a", "to": "s", "bandwidth": 25})");
}

} // namespace

TEST_CASE("check() refuses what the reader never returns") {
  const double infinity = std::numeric_limits<double>::infinity();
  Topology good = smallTopology();
  CHECK_FALSE(bool(good.check()));
  auto broken = [&](auto &&change) {
    Topology topology = good;
    change(topology);
    return textOf(topology.check());
  };
  CHECK(broken([](Topology &t) { t.nodes[1].id = ""; }).find("nodes[1]") == 0);
  CHECK(broken([](Topology &t) { t.nodes[1].id = "a"; }).find("nodes[1]") == 0);
  CHECK(broken([](Topology &t) {
          t.nodes[2].kind = NodeKind(9);
        }).find("nodes[2]") == 0);
  CHECK(broken([](Topology &t) {
          t.nodes[0].reduce = true;
        }).find("nodes[0]") == 0);
  CHECK(broken([](Topology &t) { t.links[1].to = 3; }).find("links[1]") == 0);
  CHECK(broken([](Topology &t) { t.links[1].from = -1; }).find("links[1]") ==
        0);
  CHECK(broken([](Topology &t) {
          t.links[1].to = t.links[1].from;
        }).find("links[1]") == 0);
  CHECK(broken([](Topology &t) {
          t.links[2].kind = LinkKind(6);
        }).find("links[2]") == 0);
  for (double bandwidth : {0.0, -1.0, std::nan(""), infinity})
    CHECK(broken([&](Topology &t) {
            t.links[0].bandwidth = bandwidth;
          }).find("links[0]: bandwidth") == 0);
  for (double latency : {-1.0, std::nan(""), infinity})
    CHECK(broken([&](Topology &t) {
            t.links[0].latency = latency;
          }).find("links[0]: latency") == 0);
  CHECK(broken([](Topology &t) {
          t.links.push_back(t.links[1]);
        }).find("links[4]: joins the same nodes as links[1]") == 0);
  CHECK(broken([](Topology &t) {
          t.nodes[2].device = "eth1";
        }).find("nodes[2]: only a nic has a device") == 0);
  CHECK(broken([](Topology &t) {
          t.links[1].kind = LinkKind::network;
        }).find("links[1]: a network link joins ") == 0);
}

TEST_CASE("a fingerprint is of nodes and links") {
  const Topology topology = smallTopology();
  Topology renamed = topology;
  renamed.name = "other";
  renamed.description = "other";
  renamed.nodes[2].device = "eth1";
  CHECK(renamed.fingerprint() == topology.fingerprint());

  std::set<uint64_t> seen = {topology.fingerprint()};
  auto changed = [&](auto &&change) {
    Topology other = topology;
    change(other);
    return seen.insert(other.fingerprint()).second;
  };
  CHECK(changed([](Topology &t) { t.links[0].bandwidth = 25.000001; }));
  CHECK(changed([](Topology &t) { t.links[0].latency = 1; }));
  CHECK(changed([](Topology &t) { t.links[0].kind = LinkKind::xgmi; }));
  CHECK(changed([](Topology &t) { t.links[0].to = 2; }));
  CHECK(changed([](Topology &t) { t.links[0].from = 2; }));
  CHECK(changed([](Topology &t) { std::swap(t.links[0], t.links[1]); }));
  CHECK(changed([](Topology &t) { t.links.pop_back(); }));
  CHECK(changed([](Topology &t) { t.nodes[0].id = "aa"; }));
  CHECK(changed([](Topology &t) { t.nodes[2].kind = NodeKind::cpu; }));
  CHECK(changed([](Topology &t) { t.nodes[2].multicast = true; }));
  CHECK(changed([](Topology &t) { t.nodes[2].reduce = true; }));
  // Files of earlier builds must continue to match.
  CHECK(topology.fingerprint() == 14701627734817960633u);
}
