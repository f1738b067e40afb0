//===- ShippedTopologiesTest.cpp - the files of topologies/ ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The machines are wired as public sources say. Damaged copies of their files
// are refused or read as a different well-formed machine.
//
//===----------------------------------------------------------------------===//

#include "compiler/support/LocatedJson.h"
#include "test/common/Folders.h"
#include "test/common/Sanitizers.h"
#include "test/unit/topology/TestTopology.h"

#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>

using namespace blink;
using namespace blink::test;

namespace {

/// Facts that public sources state about each machine.
struct Facts {
  size_t gpus;
  LinkKind kind;
  double out; ///< GB/s that leave a GPU over links of this kind; 0: any number
};
const std::map<std::string, Facts> kFacts = {
    {"a100-nv4", {4, LinkKind::nvlink, 300}},
    {"ac922-4gpu", {4, LinkKind::nvlink, 150}},
    {"ac922-6gpu", {6, LinkKind::nvlink, 150}},
    {"pcie-8gpu-direct-gen4", {8, LinkKind::pcie, 31.5}},
    {"v100-cube-mesh", {8, LinkKind::nvlink, 150}},
    {"azure-nc80adis-h100", {2, LinkKind::nvlink, 300}},
    {"azure-nc96ads-a100", {4, LinkKind::nvlink, 300}},
    {"azure-ndv2", {8, LinkKind::nvlink, 150}},
    {"dgx-a100", {8, LinkKind::nvlink, 300}},
    {"dgx-b200", {8, LinkKind::nvlink, 900}},
    {"dgx-h100", {8, LinkKind::nvlink, 450}},
    {"dgx1", {8, LinkKind::nvlink, 150}},
    {"dgx1p", {8, LinkKind::nvlink, 80}},
    {"dgx2", {16, LinkKind::nvlink, 150}},
    {"gb200-4gpu", {4, LinkKind::nvlink, 900}},
    {"gb200-nvl4", {4, LinkKind::nvlink, 900}},
    {"gb200-nvl72", {72, LinkKind::nvlink, 900}},
    {"gh200-4gpu", {4, LinkKind::nvlink, 450}},
    {"gh200-nvl2", {2, LinkKind::nvlink, 450}},
    {"hgx-a100-16gpu", {16, LinkKind::nvlink, 300}},
    {"hgx-h100-4gpu", {4, LinkKind::nvlink, 450}},
    {"host-1numa", {4, LinkKind::host, 10}},
    {"host-2numa", {8, LinkKind::host, 10}},
    {"host-4numa", {16, LinkKind::host, 10}},
    {"mi100-4gpu", {4, LinkKind::xgmi, 138}},
    {"mi100-8gpu", {8, LinkKind::xgmi, 138}},
    {"mi210-4gpu", {4, LinkKind::xgmi, 150}},
    {"mi250", {16, LinkKind::xgmi, 0}},
    {"mi250x", {8, LinkKind::xgmi, 0}},
    {"mi300a-4gpu", {4, LinkKind::xgmi, 384}},
    {"mi300x", {8, LinkKind::xgmi, 448}},
    {"mi355x", {8, LinkKind::xgmi, 537.6}},
    {"pcie-2gpu", {2, LinkKind::pcie, 31.5}},
    {"pcie-4gpu", {4, LinkKind::pcie, 31.5}},
    {"pcie-4gpu-gen5", {4, LinkKind::pcie, 63}},
    {"pcie-8gpu", {8, LinkKind::pcie, 15.75}},
    {"pcie-8gpu-2switch", {8, LinkKind::pcie, 31.5}},
    {"pcie-8gpu-bridges", {8, LinkKind::nvlink, 300}},
    {"pcie-8gpu-cascade", {8, LinkKind::pcie, 15.75}},
    {"pcie-8gpu-direct-gen5", {8, LinkKind::pcie, 63}},
    {"pcie-8gpu-single-root", {8, LinkKind::pcie, 15.75}},
    {"rtx-a6000-4gpu", {4, LinkKind::nvlink, 56.25}},
    {"rtx3090-2gpu", {2, LinkKind::nvlink, 56.25}},
    {"rtx4090-2gpu", {2, LinkKind::pcie, 15.75}}};

/// Returns the names of the files in topologies/.
std::vector<std::string> shipped() {
  std::vector<std::string> names;
  for (const auto &entry :
       std::filesystem::directory_iterator(sourceFolder() + "/topologies"))
    if (entry.path().extension() == ".topo")
      names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

std::string textOfFile(const std::string &name) {
  auto buffer = llvm::MemoryBuffer::getFile(sourceFolder() + "/topologies/" +
                                            name + ".topo");
  REQUIRE(bool(buffer));
  return (*buffer)->getBuffer().str();
}

/// Reads a damaged file, which must give a valid machine or an error with a
/// place. Returns true if it is accepted.
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

/// Returns the GB/s that leave GPU `gpu` over links of a kind.
double outOf(const Topology &topology, int gpu, LinkKind kind) {
  double sum = 0;
  for (const Link &link : topology.links)
    if (link.kind == kind && link.from == topology.gpus()[gpu])
      sum += link.bandwidth;
  return sum;
}

/// Returns the number of links of `rate` GB/s for each pair of GPUs, such as
/// "0-3".
std::map<std::string, int> linkPairs(const Topology &topology, LinkKind kind,
                                     double rate) {
  std::map<std::string, int> pairs;
  for (const Link &link : topology.links)
    if (link.kind == kind && link.from < link.to)
      pairs[std::to_string(link.from) + "-" + std::to_string(link.to)] =
          static_cast<int>(link.bandwidth / rate);
  return pairs;
}

} // namespace

TEST_CASE("every shipped file is a machine in one piece") {
  for (const std::string &name : shipped()) {
    CAPTURE(name);
    Topology topology = shippedTopology(name);
    CHECK(topology.name == name);
    CHECK_FALSE(topology.description.empty());
    CHECK_FALSE(bool(topology.check()));
    // Every link exists in both directions, with equal properties.
    for (const Link &link : topology.links) {
      bool found = false;
      for (const Link &other : topology.links)
        found |= other.from == link.to && other.to == link.from &&
                 other.kind == link.kind && other.bandwidth == link.bandwidth &&
                 other.latency == link.latency;
      CHECK(found);
      CHECK(link.latency > 0);
    }
    CHECK(rankTopologyOf(topology).stronglyConnectedRanks().size() == 1);
  }
}

TEST_CASE("every shipped file has the GPUs and links of its machine") {
  std::vector<std::string> known;
  for (const auto &[name, facts] : kFacts)
    known.push_back(name);
  REQUIRE(shipped() == known);
  for (const auto &machine : kFacts) {
    const std::string &name = machine.first;
    const auto &facts = machine.second;
    CAPTURE(name);
    Topology topology = shippedTopology(name);
    REQUIRE(topology.gpus().size() == facts.gpus);
    for (size_t gpu = 0; facts.out > 0 && gpu < facts.gpus; ++gpu)
      CHECK(outOf(topology, static_cast<int>(gpu), facts.kind) ==
            doctest::Approx(facts.out).epsilon(1e-9));
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
  CHECK(linkPairs(shippedTopology("dgx1"), LinkKind::nvlink, 25) == expected);
  for (const char *other : {"v100-cube-mesh", "azure-ndv2"})
    CHECK(linkPairs(shippedTopology(other), LinkKind::nvlink, 25) == expected);
  for (auto &[pair, links] : expected)
    links = 1;
  CHECK(linkPairs(shippedTopology("dgx1p"), LinkKind::nvlink, 20) == expected);
}

TEST_CASE("the xGMI mesh of the MI250") {
  std::map<std::string, int> expected;
  const auto expect = [&](int links, const std::vector<const char *> &pairs) {
    for (const char *pair : pairs)
      expected[pair] = links;
  };
  expect(4, {"0-1", "2-3", "4-5", "6-7", "8-9", "10-11", "12-13", "14-15"});
  expect(2, {"0-4", "3-7", "8-12", "11-15"});
  expect(1, {"0-8", "1-5", "1-9", "1-10", "2-6", "2-9", "2-10", "3-11", "4-6",
             "5-6", "5-7", "9-13", "10-14", "12-14", "13-14", "13-15"});
  CHECK(linkPairs(shippedTopology("mi250"), LinkKind::xgmi, 50) == expected);
}

TEST_CASE("the xGMI mesh of the MI250X") {
  const std::map<std::string, int> expected = {
      {"0-1", 4}, {"2-3", 4}, {"4-5", 4}, {"6-7", 4}, {"0-6", 2}, {"2-4", 2},
      {"0-2", 1}, {"1-3", 1}, {"1-5", 1}, {"3-7", 1}, {"4-6", 1}, {"5-7", 1}};
  CHECK(linkPairs(shippedTopology("mi250x"), LinkKind::xgmi, 50) == expected);
}

TEST_CASE("meshes join each two GPUs alike") {
  const std::map<std::string, int> meshes = {
      {"a100-nv4", 100},   {"gb200-nvl4", 300},    {"gh200-4gpu", 150},
      {"gh200-nvl2", 450}, {"hgx-h100-4gpu", 150}, {"mi100-4gpu", 46},
      {"mi210-4gpu", 50},  {"mi300a-4gpu", 128},   {"mi300x", 64}};
  for (const auto &mesh : meshes) {
    const int rate = mesh.second;
    CAPTURE(mesh.first);
    Topology topology = shippedTopology(mesh.first);
    for (int from : topology.gpus())
      for (int to : topology.gpus())
        CHECK(topology.bandwidth(from, to) == (from == to ? 0 : rate));
  }
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
  auto buffer = llvm::MemoryBuffer::getFile(sourceFolder() +
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

  // The keys must be the same, too: the reader's error lists its own.
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
  for (const std::string &name : shipped()) {
    CAPTURE(name);
    std::string text = textOfFile(name);
    size_t whole = text.rfind('}') + 1;
    for (size_t size = 0; size < text.size();
         size += test::kSanitized ? 17 : 5) {
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
  for (const std::string &name : shipped()) {
    const std::string text = textOfFile(name);
    for (int round = 0; round < (test::kSanitized ? 60 : 300); ++round) {
      std::string damaged = text;
      for (unsigned change = 0; change <= random() % 3; ++change)
        damaged[random() % damaged.size()] = static_cast<char>(random());
      if (random() % 4 == 0) // copies a piece from elsewhere
        damaged.insert(random() % damaged.size(),
                       text.substr(random() % text.size(), random() % 200));
      ++(isAccepted(damaged) ? accepted : refused);
    }
  }
  CHECK(accepted > 0); // bytes of comments or digits
  CHECK(refused > accepted);
}
