//===- DefaultLanesTest.cpp -------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// How many lanes a rank may have if nobody asks for a number.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/DefaultLanes.h"

#include "compiler/generate/Generate.h"
#include "test/unit/topology/TestTopology.h"

using namespace blink;
using namespace blink::test;

static unsigned lanesOf(Topology topology, std::vector<int> gpus = {},
                        LinkKindSet kinds = LinkKindSet::all()) {
  return defaultLimits(valueOf(RankTopology::create(std::move(topology),
                                                    std::move(gpus), kinds)))
      .maxLanes;
}

TEST_CASE("GPUs with fast links have more lanes") {
  for (const char *name :
       {"dgx1", "dgx-a100", "dgx-h100", "mi300x", "pcie-8gpu", "host-2numa"}) {
    CAPTURE(std::string(name));
    CHECK(lanesOf(shippedTopology(name)) == 16);
  }
  for (const char *name : {"dgx-b200", "gb200-nvl72", "gh200-4gpu", "mi355x"}) {
    CAPTURE(std::string(name));
    CHECK(lanesOf(shippedTopology(name)) == 32);
  }
}

TEST_CASE("only links that the job may use count, and no network") {
  // Seven xGMI links of 76.8 GB/s each, to the other GPUs.
  CHECK(lanesOf(shippedTopology("mi355x"), {0, 1, 2, 3, 4, 5, 6}) == 16);
  CHECK(lanesOf(shippedTopology("dgx-b200"), {3, 4}) == 32);
  LinkKindSet pcie;
  pcie.insert(LinkKind::pcie);
  CHECK(lanesOf(shippedTopology("pcie-8gpu"), {}, pcie) == 16);
  // A NIC adds to the 450 GB/s of NVLink.
  CHECK(lanesOf(valueOf(generatePod(shippedTopology("dgx-h100"), 2, 1,
                                    {100, 2, LinkKind::network}))) == 16);
}

TEST_CASE("the faster direction counts") {
  Topology topology = valueOf(generateFullyConnected(3, Wire{100}));
  CHECK(lanesOf(topology) == 16);
  for (Link &link : topology.links)
    if (link.to == 2)
      link.bandwidth = 251; // together 502 to one GPU
  CHECK(lanesOf(topology) == 32);
  CHECK(lanesOf(topology, {0, 1}) == 16);
  CHECK(lanesOf(topology, {1, 2}) == 16);
}
