//===- ShippedTopologiesTest.cpp - the files of topologies/ ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The machines are wired as public sources say, and damaged copies of their
// files are refused or read as another well-formed machine, never worse.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/LocatedJson.h"
#include "test/unit/topology/TestTopology.h"

#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <random>
#include <set>

using namespace blink;
using namespace blink::test;

namespace {

const char *const kShipped[] = {"a100-nv4", "dgx-a100", "dgx-h100", "dgx1",
                                "dgx1p",    "dgx2",     "pcie-8gpu"};

std::string textOfFile(const std::string &name) {
  auto buffer = llvm::MemoryBuffer::getFile(BLINK_SOURCE_DIR "/topologies/" +
                                            name + ".topo");
  REQUIRE(bool(buffer));
  return (*buffer)->getBuffer().str();
}

/// Reads a damaged file: a machine that holds together, or a located error.
bool isAccepted(llvm::StringRef text) {
  llvm::Expected<Topology> topology = parseTopology(text, "t.topo");
  if (topology) {
    CHECK_FALSE(bool(topology->check()));
    return true;
  }
  std::string error = llvm::toString(topology.takeError());
  CHECK(error.rfind("t.topo:", 0) == 0);
  CHECK(error.find(": error: ") != std::string::npos);
  return false;
}

/// NVLink GB/s that leave GPU `gpu`.
double nvlinkOut(const Topology &topology, int gpu) {
  double sum = 0;
  for (const Link &link : topology.links)
    if (link.kind == LinkKind::nvlink && link.from == topology.gpus()[gpu])
      sum += link.bandwidth;
  return sum;
}

/// "0-3" -> number of 25 (or 20) GB/s NVLinks, for pairs of GPUs.
std::map<std::string, int> nvlinkPairs(const Topology &topology, double rate) {
  std::map<std::string, int> pairs;
  for (const Link &link : topology.links)
    if (link.kind == LinkKind::nvlink && link.from < link.to)
      pairs[std::to_string(link.from) + "-" + std::to_string(link.to)] =
          static_cast<int>(link.bandwidth / rate);
  return pairs;
}

} // namespace

TEST_CASE("every shipped file is a machine in one piece") {
  for (const char *name : kShipped) {
    CAPTURE(name);
    Topology topology = shippedTopology(name);
    CHECK(topology.name == name);
    CHECK_FALSE(topology.description.empty());
    CHECK_FALSE(bool(topology.check()));
    // Both directions of every link exist and are alike.
    for (const Link &link : topology.links) {
      bool found = false;
      for (const Link &other : topology.links)
        found |= other.from == link.to && other.to == link.from &&
                 other.kind == link.kind && other.bandwidth == link.bandwidth &&
                 other.latency == link.latency;
      CHECK(found);
      CHECK(link.latency > 0);
    }
    CHECK(fabricOf(topology).stronglyConnectedRanks().size() == 1);
  }
}

TEST_CASE("NVLink rates per GPU") {
  struct {
    const char *name;
    size_t gpus;
    double rate;
  } expected[] = {{"dgx1", 8, 150},     {"dgx1p", 8, 80},
                  {"dgx2", 16, 150},    {"dgx-a100", 8, 300},
                  {"dgx-h100", 8, 450}, {"a100-nv4", 4, 300},
                  {"pcie-8gpu", 8, 0}};
  for (const auto &machine : expected) {
    CAPTURE(machine.name);
    Topology topology = shippedTopology(machine.name);
    REQUIRE(topology.gpus().size() == machine.gpus);
    for (size_t gpu = 0; gpu < machine.gpus; ++gpu)
      CHECK(nvlinkOut(topology, static_cast<int>(gpu)) == machine.rate);
  }
}

TEST_CASE("the NVLink mesh of the DGX-1") {
  std::map<std::string, int> expected;
  for (const char *pair :
       {"0-3", "0-4", "1-2", "1-5", "2-3", "4-7", "5-6", "6-7"})
    expected[pair] = 2;
  for (const char *pair :
       {"0-1", "0-2", "1-3", "2-6", "3-7", "4-5", "4-6", "5-7"})
    expected[pair] = 1;
  CHECK(nvlinkPairs(shippedTopology("dgx1"), 25) == expected);
  for (auto &[pair, links] : expected)
    links = 1;
  CHECK(nvlinkPairs(shippedTopology("dgx1p"), 20) == expected);
}

TEST_CASE("the PCIe trees") {
  for (const char *name : {"dgx1", "dgx1p", "pcie-8gpu"}) {
    Topology topology = shippedTopology(name);
    for (int gpu = 0; gpu < 8; ++gpu) {
      std::string plx = "plx" + std::to_string(gpu / 2);
      std::string cpu = "cpu" + std::to_string(gpu / 4);
      for (int link :
           pathOver(topology, {"gpu" + std::to_string(gpu), plx, cpu})) {
        REQUIRE(link != -1);
        CHECK(topology.links[link].bandwidth == 15.75);
        CHECK(topology.links[link].kind == LinkKind::pcie);
      }
    }
    int socket = linkBetween(topology, "cpu0", "cpu1");
    REQUIRE(socket != -1);
    CHECK(topology.links[socket].kind == LinkKind::host);
  }
}

TEST_CASE("the schema for editors knows the same words") {
  auto buffer = llvm::MemoryBuffer::getFile(BLINK_SOURCE_DIR
                                            "/topologies/topology.schema.json");
  REQUIRE(bool(buffer));
  JsonValue schema =
      valueOf(parseLocatedJson((*buffer)->getBuffer(), "topology.schema.json"));
  auto wordsAt = [&](const std::vector<std::string> &keys) {
    const JsonValue *value = &schema;
    for (const std::string &key : keys) {
      auto member = llvm::find_if(
          value->members, [&](const JsonMember &m) { return m.key == key; });
      REQUIRE(member != value->members.end());
      value = &member->value;
    }
    std::vector<std::string> words;
    for (const JsonValue &item : value->items)
      words.push_back(item.text);
    for (const JsonMember &member : value->members)
      words.push_back(member.key);
    return words;
  };
  std::vector<std::string> nodeKinds, linkKinds;
  for (NodeKind kind : sched::EnumValuesNodeKind())
    nodeKinds.push_back(toString(kind).str());
  for (LinkKind kind : sched::EnumValuesLinkKind())
    linkKinds.push_back(toString(kind).str());
  CHECK(wordsAt({"$defs", "node", "properties", "kind", "enum"}) == nodeKinds);
  CHECK(wordsAt({"$defs", "link", "properties", "kind", "enum"}) == linkKinds);

  // And the same keys: the reader lists its own in an error.
  auto keysOfReader = [](const std::string &nodes, const std::string &links) {
    std::string error =
        textOf(parseTopology(R"({"format": "blink-topology", "version": 1,
            "nodes": [{"id": "g", "kind": "gpu")" +
                                 nodes + R"(}], "links": [)" + links + "]}",
                             "t.topo")
                   .takeError());
    llvm::SmallVector<llvm::StringRef, 8> keys;
    llvm::StringRef(error).split("expected ").second.split(keys, ", ");
    return std::vector<std::string>(keys.begin(), keys.end());
  };
  CHECK(wordsAt({"$defs", "node", "properties"}) ==
        keysOfReader(R"(, "?": 1)", ""));
  CHECK(wordsAt({"$defs", "link", "properties"}) ==
        keysOfReader("", R"({"?": 1})"));
}

TEST_CASE("truncated files are refused wherever they are cut") {
  for (const char *name : kShipped) {
    CAPTURE(name);
    std::string text = textOfFile(name);
    size_t whole = text.rfind('}') + 1;
    for (size_t size = 0; size < text.size(); size += 5) {
      CAPTURE(size);
      CHECK(isAccepted(llvm::StringRef(text).take_front(size)) ==
            (size >= whole));
    }
    CHECK_FALSE(isAccepted(llvm::StringRef(text).take_front(whole - 1)));
    CHECK(isAccepted(llvm::StringRef(text).take_front(whole)));
  }
}

TEST_CASE("damaged files are refused or hold together") {
  std::mt19937 random(1);
  int accepted = 0, refused = 0;
  for (const char *name : kShipped) {
    const std::string text = textOfFile(name);
    for (int round = 0; round < 300; ++round) {
      std::string damaged = text;
      for (unsigned change = 0; change <= random() % 3; ++change)
        damaged[random() % damaged.size()] = static_cast<char>(random());
      if (random() % 4 == 0) // a piece from elsewhere
        damaged.insert(random() % damaged.size(),
                       text.substr(random() % text.size(), random() % 200));
      ++(isAccepted(damaged) ? accepted : refused);
    }
  }
  CHECK(accepted > 0); // a byte of a comment or a digit
  CHECK(refused > accepted);
}
