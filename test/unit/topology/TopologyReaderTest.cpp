//===- TopologyReaderTest.cpp - valid and invalid .topo files -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Every way in which a .topo file can be wrong, with the exact place of the
// message, and the rules by which links add up.
//
//===----------------------------------------------------------------------===//

#include "test/common/Folders.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>
#include <limits>

using namespace blink;
using namespace blink::test;

namespace {

/// A text in which '@' precedes the offending token, and the expected message.
struct Refusal {
  std::string text;
  std::string message;
};

void check(const Refusal &refusal) {
  std::string text = refusal.text;
  size_t at = text.find('@');
  REQUIRE(at != std::string::npos);
  text.erase(at, 1);
  CAPTURE(text);
  size_t line = std::count(text.begin(), text.begin() + at, '\n') + 1;
  size_t column = at - (text.substr(0, at).rfind('\n') + 1) + 1;
  std::string place = "t.topo:" + std::to_string(line) + ":" +
                      std::to_string(column) + ": error: ";
  std::string error = textOf(parseTopology(text, "t.topo").takeError());
  CHECK_MESSAGE(error.rfind(place, 0) == 0, error, " is not at ", place);
  CHECK_MESSAGE(error.find(refusal.message) != std::string::npos, error,
                " does not say ", refusal.message);
}

/// Returns a file with these nodes and links that is otherwise well formed.
std::string fileWith(const std::string &nodes, const std::string &links) {
  return "// a comment\n{\"format\": \"blink-topology\", \"version\": 1,\n"
         "\"nodes\": [" +
         nodes + "],\n\"links\": [" + links + "]}\n";
}

const std::string kGpu = R"({"id": "gpu0", "kind": "gpu"})";
const std::string kNodes = kGpu + R"(,
 {"id": "gpu1", "kind": "gpu"}, {"id": "sw", "kind": "switch"})";

/// The head of a file, before further keys.
const std::string kHead = R"("format": "blink-topology", "version": 1)";

} // namespace

TEST_CASE("syntax errors are located") {
  for (const Refusal &refusal : std::vector<Refusal>{
           {"@", "unexpected end of input"},
           {"// only a comment\n@", "unexpected end of input"},
           {"{\"a\": 1\n  @\"b\": 2}", "unexpected string literal"},
           {"{\"format\" @5}", "unexpected number literal"},
           {"[1,@, 2]", "unexpected ','"},
           {"[1, 2]\n  @]", "unexpected ']'"},
           {"[1, @nul]", "invalid literal"},
           {"[1, @012\n]", "unexpected number literal"},
           {"[1, @12abc,\n 7]", "invalid literal"},
           {"[@NaN]", "invalid literal"},
           {"[1, @-Infinity]", "invalid number"},
           {"[\"a\", @\"b\n\"]", "control character"},
           {"[\"a\", @\"b\\q\"]", "invalid string"},
           {"[\"a\", @\"\xff\"]", "ill-formed UTF-8"},
           {"[\"a\", @\"b", "missing closing quote"},
           {"[1, // a, b,\n /* [ { \n */ @}", "unexpected '}'"},
           {"// a\r[1, @}", "unexpected '}'"},
           {"\r\n[1,\r\n @}", "unexpected '}'"},
           {"[\n1, @1e999]", "beyond the range of a double"},
           {"{\"a\": [1, \"b\\\"],\", 3.5e0, -0.1, true, null, {}],\n \"c\": "
            "@}",
            "unexpected '}'"},
       })
    check(refusal);
}

TEST_CASE("a byte order mark is no column") {
  std::string error =
      textOf(parseTopology("\xEF\xBB\xBF[x", "t.topo").takeError());
  CHECK(error.rfind("t.topo:1:2: error: ", 0) == 0);
}

TEST_CASE("a NUL byte is not the end of the file") {
  std::string text = fileWith(kNodes, "");
  CHECK(valueOf(parseTopology(text, "t.topo")).nodes.size() == 3);
  text += std::string("\n \0garbage", 10);
  std::string error = textOf(parseTopology(text, "t.topo").takeError());
  CHECK(error == "t.topo:7:2: error: NUL byte; expected a text file");
}

TEST_CASE("deep nesting is refused, however deep") {
  check({std::string(64, '[') + "@[", "deeper than 64 levels"});
  check({std::string(64, '[') + "@" + std::string(1000000, '['),
         "deeper than 64 levels"});
  check({std::string(63, '[') + "[@", "unexpected end of input"});
}

TEST_CASE("long tokens make short messages") {
  std::string longWord(1000000, 'x');
  for (const std::string &text :
       {"[\"" + longWord, "[" + longWord,
        "[1" + std::string(1000000, '0') + "]",
        fileWith(kNodes, "{\"" + longWord + "\": 1}"),
        fileWith("{\"id\": \"" + longWord + "\", \"kind\": \"" + longWord +
                     "\"}",
                 "")})
    CHECK(textOf(parseTopology(text, "t.topo").takeError()).size() < 300);
}

TEST_CASE("the frame of a file") {
  for (const Refusal &refusal : std::vector<Refusal>{
           {"@[]", "a topology must be an object, got an array"},
           {"@{\"version\": 1, \"nodes\": [], \"links\": []}",
            "a topology has no 'format'"},
           {"@{\"format\": \"blink-topology\", \"nodes\": [], \"links\": []}",
            "a topology has no 'version'"},
           {"@{" + kHead + ", \"links\": []}", "a topology has no 'nodes'"},
           {"@{" + kHead + ", \"nodes\": [" + kGpu + "]}",
            "a topology has no 'links'"},
           {"{\"format\": @\"topo\", \"version\": 1, \"nodes\": [], \"links\": "
            "[]}",
            "expected 'blink-topology', got 'topo'"},
           {"{\"format\": @7, \"version\": 1, \"nodes\": [], \"links\": []}",
            "expected 'blink-topology', got '7'"},
           {"{\"format\": \"blink-topology\", \"version\": @2, \"nodes\": [], "
            "\"links\": []}",
            "expected 1, got '2'"},
           {"{\"format\": \"blink-topology\", \"version\": @\"1\", \"nodes\": "
            "[], \"links\": []}",
            "expected 1, got '1'"},
           {"{" + kHead + ",\n @\"node\": []}",
            "unknown key 'node' in a topology; did you mean 'nodes'?"},
           {"{" + kHead + ", @\"version\": 1}",
            "key 'version' is given twice in a topology"},
           {"{" + kHead + ", \"nodes\": @{}, \"links\": []}",
            "'nodes' must be an array, got an object"},
           {"{" + kHead + ", \"nodes\": [" + kGpu + "], \"links\": @null}",
            "'links' must be an array, got null"},
           {"{" + kHead + ", \"nodes\": @[], \"links\": []}",
            "no node of kind gpu"},
           {"{" + kHead + ", \"name\": @3, \"nodes\": [], \"links\": []}",
            "'name' must be a string, got a number"},
           {"{" + kHead +
                ", \"name\": @\"a\\nb\", \"nodes\": [], \"links\": "
                "[]}",
            "without control characters"},
           {"{" + kHead +
                ", \"description\": @true, \"nodes\": [], \"links\": "
                "[]}",
            "'description' must be a string, got true or false"},
       })
    check(refusal);
}

TEST_CASE("nodes are read strictly") {
  for (const Refusal &refusal : std::vector<Refusal>{
           {"@5", "a node must be an object, got a number"},
           {"@{\"kind\": \"gpu\"}", "a node has no 'id'"},
           {"@{\"id\": \"a\"}", "a node has no 'kind'"},
           {"{\"id\": @\"\", \"kind\": \"gpu\"}", "node id must be a name"},
           {"{\"id\": @\"a\\u0007\", \"kind\": \"gpu\"}",
            "without control characters, got 'a\\07'"},
           {"{\"id\": @4, \"kind\": \"gpu\"}",
            "node id must be a string, got a number"},
           {kGpu + ",\n{\"kind\": \"cpu\", \"id\": @\"gpu0\"}",
            "a second node 'gpu0'"},
           {"{\"id\": \"a\", \"kind\": @\"gppu\"}",
            "unknown kind of node 'gppu'; did you mean 'gpu'?; expected one of "
            "gpu, switch, cpu, nic"},
           {"{\"id\": \"a\", \"kind\": @\"switch_\"}",
            "did you mean 'switch'?"},
           {"{\"id\": \"a\", \"kind\": \"gpu\", @\"memory\": 80}",
            "unknown key 'memory' in a node; expected id, kind, multicast, "
            "reduce, device"},
           {"{\"id\": \"a\", \"kind\": \"gpu\", @\"id\": \"a\"}",
            "key 'id' is given twice in a node"},
           {"{\"id\": \"a\", \"kind\": \"switch\", \"multicast\": @1}",
            "'multicast' must be true or false, got a number"},
           {"{\"id\": \"a\", \"kind\": \"gpu\", \"multicast\": @true}",
            "only a switch can multicast or reduce, 'a' is a gpu"},
           {"{\"id\": \"a\", \"kind\": \"cpu\", \"reduce\": @true}",
            "only a switch can multicast or reduce, 'a' is a cpu"},
           {"{\"id\": \"a\", \"kind\": \"cpu\", \"device\": @\"eth1\"}",
            "only a nic has a device, 'a' is a cpu"},
           {"{\"id\": \"a\", \"kind\": \"nic\", \"device\": @\"\"}",
            "'device' must be a name of 1 to 255 bytes without control "
            "characters, got ''"},
           {"{\"id\": \"a\", \"kind\": \"nic\", \"device\": @1}",
            "'device' must be a string, got a number"},
       })
    check({fileWith(refusal.text, ""), refusal.message});
  check({"{" + kHead +
             ", \"links\": [], \"nodes\": @[{\"id\": \"sw\", "
             "\"kind\": \"switch\"}]}",
         "no node of kind gpu"});
}

TEST_CASE("links are read strictly") {
  const std::string ends = R"("from": "gpu0", "to": "gpu1")";
  const std::string link = ends + R"(, "bandwidth": 25)";
  for (const Refusal &refusal : std::vector<Refusal>{
           {"@\"gpu0\"", "a link must be an object, got a string"},
           {"@{\"to\": \"gpu1\", \"bandwidth\": 25}", "a link has no 'from'"},
           {"@{\"from\": \"gpu1\", \"bandwidth\": 25}", "a link has no 'to'"},
           {"@{" + ends + "}", "a link has no 'bandwidth'"},
           {"{\"from\": @\"gpu9\", \"to\": \"gpu1\", \"bandwidth\": 25}",
            "no node 'gpu9'; did you mean 'gpu0'?"},
           {"{\"from\": \"gpu0\", \"to\": @\"elsewhere\", \"bandwidth\": 25}",
            "no node 'elsewhere'; expected the id of a node"},
           {"{\"from\": \"gpu0\", \"to\": @1, \"bandwidth\": 25}",
            "'to' must be a string, got a number"},
           {"{\"from\": \"gpu0\", \"to\": @\"gpu0\", \"bandwidth\": 25}",
            "link joins 'gpu0' to itself"},
           {"{" + ends + ", \"bandwidth\": @-25}",
            "link bandwidth must be 0.001 to 1000000 GB/s, got -25"},
           {"{" + ends + ", \"bandwidth\": @0.0}",
            "link bandwidth must be 0.001 to 1000000 GB/s, got 0.0"},
           {"{" + ends + ", \"bandwidth\": @1e-308}",
            "link bandwidth must be 0.001 to 1000000 GB/s, got 1e-308"},
           {"{" + ends + ", \"bandwidth\": @0.00099}",
            "link bandwidth must be 0.001 to 1000000 GB/s, got 0.00099"},
           {"{" + ends + ", \"bandwidth\": @1000001}",
            "link bandwidth must be 0.001 to 1000000 GB/s, got 1000001"},
           {"{" + ends + ", \"bandwidth\": @\"25\"}",
            "link bandwidth must be a number, got a string"},
           {"{" + link + ", @\"bandwith\": 25}",
            "unknown key 'bandwith' in a link; did you mean 'bandwidth'?"},
           {"{" + link + ", \"count\": @0}",
            "link count must be a whole number from 1 to 65536, got 0"},
           {"{" + link + ", \"count\": @-2}", "from 1 to 65536, got -2"},
           {"{" + link + ", \"count\": @1.5}", "from 1 to 65536, got 1.5"},
           {"{" + link + ", \"count\": @65537}", "to 65536, got 65537"},
           {"{" + link + ", \"latency\": @-0.5}",
            "link latency must be 0 to 1000000 us, got -0.5"},
           {"{" + link + ", \"latency\": @1e7}",
            "link latency must be 0 to 1000000 us, got 1e7"},
           {"{" + link + ", \"latency\": @null}",
            "link latency must be a number, got null"},
           {"{" + link + ", \"kind\": @\"nvlnk\"}",
            "unknown kind of link 'nvlnk'; did you mean 'nvlink'?; expected "
            "one "
            "of nvlink, pcie, host, c2c, xgmi, network"},
           {"{" + link + ", \"kind\": @2}",
            "kind of link must be a string, got a number"},
           {"{" + link + ", \"directed\": @\"yes\"}",
            "'directed' must be true or false, got a string"},
           {"{" + link + ", @\"from\": \"gpu1\"}",
            "key 'from' is given twice in a link"},
           {"@{" + ends + ", \"bandwidth\": 1e5, \"count\": 11}",
            "parallel links add up to 1100000 GB/s; expected 0.001 to"},
           {"{" + ends + ", \"bandwidth\": 9e5},\n@{" + ends +
                ", \"bandwidth\": 2e5}",
            "parallel links add up to 1100000 GB/s; expected 0.001 to"},
       })
    check({fileWith(kNodes, refusal.text), refusal.message});
}

TEST_CASE("defaults, directions and parallel links") {
  Topology topology = makeTopology(kNodes, R"(
      {"from": "gpu0", "to": "gpu1", "bandwidth": 25, "count": 2, "latency": 1},
      {"from": "gpu1", "to": "gpu0", "bandwidth": 10, "latency": 0.5},
      {"from": "gpu0", "to": "gpu1", "bandwidth": 5, "latency": 3,
       "directed": true},
      {"from": "gpu0", "to": "gpu1", "bandwidth": 16, "kind": "pcie",
       "directed": true},
      {"from": "sw", "to": "gpu1", "bandwidth": 2.5})");
  REQUIRE(topology.links.size() == 5);
  auto checkLink = [&](int index, int from, int to, double bandwidth,
                       double latency, LinkKind kind) {
    const Link &link = topology.links[index];
    CHECK(link.from == from);
    CHECK(link.to == to);
    CHECK(link.bandwidth == bandwidth);
    CHECK(link.latency == latency);
    CHECK(link.kind == kind);
  };
  checkLink(0, 0, 1, 65, 3, LinkKind::nvlink);
  checkLink(1, 1, 0, 60, 1, LinkKind::nvlink);
  checkLink(2, 0, 1, 16, 0, LinkKind::pcie);
  checkLink(3, 2, 1, 2.5, 0, LinkKind::nvlink);
  checkLink(4, 1, 2, 2.5, 0, LinkKind::nvlink);
  CHECK(topology.name == "test");
  CHECK_FALSE(bool(topology.check()));
}

TEST_CASE("every word of the format is understood") {
  Topology topology = valueOf(parseTopology(
      R"({ /* any order */ "links": [
          {"to": "n", "from": "g", "bandwidth": 1, "kind": "pcie"},
          {"to": "c", "from": "g", "bandwidth": 1, "kind": "c2c"},
          {"to": "s", "from": "g", "bandwidth": 1, "kind": "xgmi"},
          {"to": "d", "from": "c", "bandwidth": 1, "kind": "host"},
          {"to": "s", "from": "n", "bandwidth": 1, "kind": "network"}],
        "description": "\u00e4 \"quoted\" thing", "name": "Maschine ß",
        "nodes": [
          {"id": "g", "kind": "gpu"}, {"id": "n", "kind": "nic"},
          {"id": "c", "kind": "cpu"}, {"id": "d", "kind": "cpu"},
          {"id": "s", "kind": "switch", "multicast": true, "reduce": true}],
        "version": 1, "format": "blink-topology"})",
      "t.topo"));
  CHECK(topology.name == "Maschine ß");
  CHECK(topology.description == "ä \"quoted\" thing");
  CHECK(topology.nodes[1].kind == NodeKind::nic);
  CHECK(topology.nodes[2].kind == NodeKind::cpu);
  CHECK(topology.nodes[4].kind == NodeKind::switch_);
  CHECK(topology.nodes[4].multicast);
  CHECK(topology.nodes[4].reduce);
  CHECK_FALSE(topology.nodes[1].multicast);
  CHECK(topology.links[0].kind == LinkKind::pcie);
  CHECK(topology.links[2].kind == LinkKind::c2c);
  CHECK(topology.links[4].kind == LinkKind::xgmi);
  CHECK(topology.links[6].kind == LinkKind::host);
  CHECK(topology.links[8].kind == LinkKind::network);
}

TEST_CASE("a machine without a name has the file's, if that can be a name") {
  const char *text = R"({"format": "blink-topology", "version": 1,
    "nodes": [{"id": "gpu0", "kind": "gpu"}], "links": []})";
  const auto nameOf = [&](const char *file) {
    return valueOf(parseTopology(text, file)).name;
  };
  CHECK(nameOf("a/box.topo") == "box");
  CHECK(nameOf("a/.topo") == "machine");
  CHECK(nameOf("a\nb.topo") == "machine");
  CHECK(nameOf("a\xc2\x9b.topo") == "machine"); // starts control sequences
  CHECK(nameOf("\xc3\x9c.topo") == "\xc3\x9c");
}

TEST_CASE("a lone GPU without links is a machine") {
  CHECK(makeTopology(kGpu, "").gpus() == std::vector<int>{0});
}

TEST_CASE("a file that cannot be read") {
  std::string error = textOf(readTopologyFile("/no/such.topo").takeError());
  CHECK(error.find("/no/such.topo: error: cannot read: ") == 0);
  CHECK(textOf(readTopologyFile(sourceFolder()).takeError())
            .find("error: cannot read: ") != std::string::npos);
}
