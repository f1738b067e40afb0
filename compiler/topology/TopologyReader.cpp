//===- TopologyReader.cpp - reading .topo files ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// From located JSON to a Topology. Strict: what the format does not know is an
// error, so that a slip of the pen never becomes another machine.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/TopologyReader.h"

#include "compiler/support/LocatedJson.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cmath>

using namespace blink;
using Kind = JsonValue::Kind;
using Words = std::vector<llvm::StringRef>;

/// 'word', short and printable, for messages.
static std::string inQuotes(llvm::StringRef word) {
  constexpr size_t kLongest = 60;
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '\'';
  llvm::printEscapedString(word.take_front(kLongest), stream);
  stream << (word.size() > kLongest ? "...'" : "'");
  return text;
}

/// "; did you mean 'gpu0'?" when a known word is near, else nothing.
static std::string suggestion(llvm::StringRef word, const Words &known) {
  constexpr unsigned kFarthest = 2;
  llvm::StringRef nearest;
  unsigned least = kFarthest + 1;
  if (word.size() <= 60)
    for (llvm::StringRef candidate : known) {
      unsigned distance = word.edit_distance(candidate, true, kFarthest);
      if (distance < least && distance < candidate.size()) {
        least = distance;
        nearest = candidate;
      }
    }
  return nearest.empty() ? "" : "; did you mean " + inQuotes(nearest) + "?";
}

namespace {

class Reader {
public:
  explicit Reader(llvm::StringRef fileName) : fileName_(fileName) {}
  llvm::Error read(const JsonValue &root, Topology &topology);

private:
  /// The value of each key of an object, null where it has none.
  template <size_t N> using Fields = std::array<const JsonValue *, N>;

  llvm::Error fail(const JsonValue &at, const llvm::Twine &message) const {
    return errorAt(fileName_, at.place, message);
  }
  llvm::Error expect(const JsonValue &value, Kind kind,
                     const llvm::Twine &what) const;
  /// Keys 0 to `required` - 1 must be there. `what` is "a link", ...
  template <size_t N>
  llvm::Error readFields(const JsonValue &object, llvm::StringRef what,
                         const std::array<llvm::StringRef, N> &keys,
                         size_t required, Fields<N> &fields) const;
  llvm::Error readText(const JsonValue *value, llvm::StringRef what,
                       std::string &text) const;
  llvm::Error readFlag(const JsonValue *value, llvm::StringRef what,
                       bool &flag) const;
  llvm::Error readNumber(const JsonValue *value, llvm::StringRef what,
                         double &number) const;
  template <typename Enum, size_t N>
  llvm::Error readKind(const JsonValue *value, llvm::StringRef what,
                       const Enum (&all)[N], Enum &kind) const;

  llvm::Error readNode(const JsonValue &value);
  llvm::Error readLink(const JsonValue &value);
  llvm::Error readEnd(const JsonValue &value, llvm::StringRef key,
                      int &node) const;
  llvm::Error addLink(const JsonValue &at, const Link &link);

  std::string fileName_;
  Topology topology_;
  llvm::StringMap<int> nodeOfId_;
  llvm::DenseMap<std::pair<std::pair<int, int>, int>, size_t> linkOfEnds_;
};

} // namespace

llvm::Error Reader::expect(const JsonValue &value, Kind kind,
                           const llvm::Twine &what) const {
  if (value.kind == kind)
    return llvm::Error::success();
  return fail(value, what + " must be " + describe(kind) + ", got " +
                         describe(value.kind));
}

template <size_t N>
llvm::Error Reader::readFields(const JsonValue &object, llvm::StringRef what,
                               const std::array<llvm::StringRef, N> &keys,
                               size_t required, Fields<N> &fields) const {
  fields.fill(nullptr);
  if (llvm::Error error = expect(object, Kind::object, what))
    return error;
  for (const JsonMember &member : object.members) {
    size_t key = llvm::find(keys, member.key) - keys.begin();
    if (key == N)
      return errorAt(
          fileName_, member.place,
          "unknown key " + inQuotes(member.key) + " in " + what +
              suggestion(member.key, Words(keys.begin(), keys.end())) +
              "; expected " + llvm::join(keys, ", "));
    if (fields[key])
      return errorAt(fileName_, member.place,
                     "key " + inQuotes(member.key) + " is given twice in " +
                         what);
    fields[key] = &member.value;
  }
  for (size_t key = 0; key < required; ++key)
    if (!fields[key])
      return fail(object,
                  what + " has no " + inQuotes(keys[key]) + "; expected " +
                      llvm::join(keys.begin(), keys.begin() + required, ", "));
  return llvm::Error::success();
}

llvm::Error Reader::readText(const JsonValue *value, llvm::StringRef what,
                             std::string &text) const {
  if (!value)
    return llvm::Error::success();
  if (llvm::Error error = expect(*value, Kind::string, what))
    return error;
  text = value->text;
  return llvm::Error::success();
}

llvm::Error Reader::readFlag(const JsonValue *value, llvm::StringRef what,
                             bool &flag) const {
  if (!value)
    return llvm::Error::success();
  if (llvm::Error error = expect(*value, Kind::boolean, what))
    return error;
  flag = value->boolean;
  return llvm::Error::success();
}

llvm::Error Reader::readNumber(const JsonValue *value, llvm::StringRef what,
                               double &number) const {
  if (!value)
    return llvm::Error::success();
  if (llvm::Error error = expect(*value, Kind::number, what))
    return error;
  number = value->number;
  return llvm::Error::success();
}

template <typename Enum, size_t N>
llvm::Error Reader::readKind(const JsonValue *value, llvm::StringRef what,
                             const Enum (&all)[N], Enum &kind) const {
  if (!value)
    return llvm::Error::success();
  std::string word;
  if (llvm::Error error = readText(value, what, word))
    return error;
  Words known;
  for (Enum candidate : all) {
    known.push_back(toString(candidate));
    if (known.back() == word) {
      kind = candidate;
      return llvm::Error::success();
    }
  }
  return fail(*value, "unknown " + what + " " + inQuotes(word) +
                          suggestion(word, known) + "; expected one of " +
                          llvm::join(known, ", "));
}

/// Names reach messages and reports as they are.
static bool isPrintable(llvm::StringRef text) {
  return !text.empty() && llvm::none_of(text, [](unsigned char c) {
    return c < 0x20 || c == 0x7f;
  });
}

llvm::Error Reader::readNode(const JsonValue &value) {
  Fields<4> fields;
  if (llvm::Error error = readFields<4>(
          value, "a node", {"id", "kind", "multicast", "reduce"}, 2, fields))
    return error;
  Node node{};
  if (llvm::Error error = readText(fields[0], "node id", node.id))
    return error;
  if (!isPrintable(node.id))
    return fail(*fields[0],
                "node id must be a name without control characters, got " +
                    inQuotes(node.id));
  if (!nodeOfId_.try_emplace(node.id, topology_.nodes.size()).second)
    return fail(*fields[0],
                "a second node " + inQuotes(node.id) + "; ids must differ");
  if (llvm::Error error = readKind(fields[1], "kind of node",
                                   sched::EnumValuesNodeKind(), node.kind))
    return error;
  if (llvm::Error error = readFlag(fields[2], "'multicast'", node.multicast))
    return error;
  if (llvm::Error error = readFlag(fields[3], "'reduce'", node.reduce))
    return error;
  if ((node.multicast || node.reduce) && node.kind != NodeKind::switch_)
    return fail(*fields[node.multicast ? 2 : 3],
                "only a switch can multicast or reduce, " + inQuotes(node.id) +
                    " is a " + toString(node.kind));
  topology_.nodes.push_back(std::move(node));
  return llvm::Error::success();
}

llvm::Error Reader::readEnd(const JsonValue &value, llvm::StringRef key,
                            int &node) const {
  std::string id;
  if (llvm::Error error = readText(&value, key, id))
    return error;
  auto found = nodeOfId_.find(id);
  if (found == nodeOfId_.end()) {
    Words ids;
    for (const Node &known : topology_.nodes)
      ids.push_back(known.id);
    std::string hint = suggestion(id, ids);
    return fail(value,
                "no node " + inQuotes(id) +
                    (hint.empty() ? "; expected the id of a node" : hint));
  }
  node = found->second;
  return llvm::Error::success();
}

llvm::Error Reader::readLink(const JsonValue &value) {
  Fields<7> fields;
  if (llvm::Error error = readFields<7>(
          value, "a link",
          {"from", "to", "bandwidth", "count", "latency", "kind", "directed"},
          3, fields))
    return error;
  Link link{};
  if (llvm::Error error = readEnd(*fields[0], "'from'", link.from))
    return error;
  if (llvm::Error error = readEnd(*fields[1], "'to'", link.to))
    return error;
  if (link.from == link.to)
    return fail(*fields[1], "link joins " +
                                inQuotes(topology_.nodes[link.from].id) +
                                " to itself; expected two different nodes");

  double bandwidth = 0, count = 1;
  bool directed = false;
  link.kind = LinkKind::nvlink;
  if (llvm::Error error = readNumber(fields[2], "link bandwidth", bandwidth))
    return error;
  if (llvm::Error error = readNumber(fields[3], "link count", count))
    return error;
  if (llvm::Error error = readNumber(fields[4], "link latency", link.latency))
    return error;
  if (llvm::Error error = readKind(fields[5], "kind of link",
                                   sched::EnumValuesLinkKind(), link.kind))
    return error;
  if (llvm::Error error = readFlag(fields[6], "'directed'", directed))
    return error;
  if (!(bandwidth > 0))
    return fail(*fields[2],
                "link bandwidth must be > 0 GB/s, got " + fields[2]->text);
  if (!(count >= 1) || count != std::floor(count))
    return fail(*fields[3], "link count must be a whole number >= 1, got " +
                                fields[3]->text);
  if (!(link.latency >= 0))
    return fail(*fields[4],
                "link latency must be >= 0 us, got " + fields[4]->text);

  link.bandwidth = bandwidth * count;
  if (llvm::Error error = addLink(value, link))
    return error;
  if (directed)
    return llvm::Error::success();
  std::swap(link.from, link.to);
  return addLink(value, link);
}

llvm::Error Reader::addLink(const JsonValue &at, const Link &link) {
  auto [it, inserted] = linkOfEnds_.try_emplace(
      {{link.from, link.to}, static_cast<int>(link.kind)},
      topology_.links.size());
  if (inserted)
    topology_.links.push_back({link.from, link.to, 0, 0, link.kind});
  Link &whole = topology_.links[it->second];
  whole.bandwidth += link.bandwidth;
  whole.latency = std::max(whole.latency, link.latency);
  if (!std::isfinite(whole.bandwidth))
    return fail(at, "the bandwidth of parallel links adds up to more than a "
                    "double holds");
  return llvm::Error::success();
}

llvm::Error Reader::read(const JsonValue &root, Topology &topology) {
  Fields<6> fields;
  if (llvm::Error error = readFields<6>(
          root, "a topology",
          {"format", "version", "nodes", "links", "name", "description"}, 4,
          fields))
    return error;
  auto [format, version, nodes, links, name, description] = fields;

  if (format->kind != Kind::string || format->text != "blink-topology")
    return fail(*format,
                "not a topology file; expected 'blink-topology', got " +
                    inQuotes(format->text));
  if (version->kind != Kind::number || version->number != 1)
    return fail(*version, "unknown version of the format; expected 1, got " +
                              inQuotes(version->text));
  topology_.name = llvm::sys::path::stem(fileName_).str();
  if (llvm::Error error = readText(name, "'name'", topology_.name))
    return error;
  if (name && !isPrintable(topology_.name))
    return fail(*name, "'name' must be a name without control characters");
  if (llvm::Error error =
          readText(description, "'description'", topology_.description))
    return error;

  if (llvm::Error error = expect(*nodes, Kind::array, "'nodes'"))
    return error;
  for (const JsonValue &node : nodes->items)
    if (llvm::Error error = readNode(node))
      return error;
  if (llvm::none_of(topology_.nodes, [](const Node &node) {
        return node.kind == NodeKind::gpu;
      }))
    return fail(*nodes, "no node of kind gpu; a machine needs at least one");

  if (llvm::Error error = expect(*links, Kind::array, "'links'"))
    return error;
  for (const JsonValue &link : links->items)
    if (llvm::Error error = readLink(link))
      return error;
  topology = std::move(topology_);
  return llvm::Error::success();
}

llvm::Expected<Topology> blink::parseTopology(llvm::StringRef text,
                                              llvm::StringRef fileName) {
  llvm::Expected<JsonValue> root = parseLocatedJson(text, fileName);
  if (!root)
    return root.takeError();
  Topology topology;
  if (llvm::Error error = Reader(fileName).read(*root, topology))
    return error;
  return topology;
}

llvm::Expected<Topology> blink::readTopologyFile(llvm::StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      readTextFile(path);
  if (!buffer)
    return buffer.takeError();
  return parseTopology((*buffer)->getBuffer(), path == "-" ? "<stdin>" : path);
}
