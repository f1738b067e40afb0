//===- TopologyReader.cpp - reading .topo files ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Converts located JSON to a Topology. The reader is strict: it refuses
// everything that the format does not define, so that a typing error never
// yields another machine.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/TopologyReader.h"

#include "compiler/support/Error.h"
#include "compiler/support/LocatedJson.h"
#include "compiler/topology/Names.h"
#include "schedules/MachineLimits.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cmath>
#include <utility>

using namespace blink;
using Kind = JsonValue::Kind;
using Words = std::vector<llvm::StringRef>;

/// Returns 'word', shortened and with special characters escaped, for messages.
static std::string inQuotes(llvm::StringRef word) {
  constexpr size_t kLongest = 60;
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '\'';
  llvm::printEscapedString(word.take_front(kLongest), stream);
  stream << (word.size() > kLongest ? "...'" : "'");
  return text;
}

/// Returns "; did you mean 'gpu0'?" if a known word is similar, otherwise "".
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
  llvm::Expected<Topology> read(const JsonValue &root) {
    if (readTopology(root))
      return std::move(topology_);
    return makeError(error_);
  }

private:
  /// The value of each key of an object, or null if the object lacks the key.
  template <size_t N> using Fields = std::array<const JsonValue *, N>;

  // The following functions return true on success; otherwise they set error_.

  bool failAt(JsonPlace place, const llvm::Twine &message) {
    error_ = llvm::toString(errorAt(fileName_, place, message));
    return false;
  }
  bool fail(const JsonValue &at, const llvm::Twine &message) {
    return failAt(at.place, message);
  }
  bool expect(const JsonValue &value, Kind kind, const llvm::Twine &what);
  /// Reads the values of `keys`. The first `required` keys must be there.
  /// `what` is "a link", "a node", ... for messages.
  template <size_t N>
  bool readFields(const JsonValue &object, llvm::StringRef what,
                  const std::array<llvm::StringRef, N> &keys, size_t required,
                  Fields<N> &fields);
  /// If `value` is not null, sets `to` to its `content`; the value must be of
  /// `kind`.
  template <typename T>
  bool read(const JsonValue *value, llvm::StringRef what, Kind kind,
            T JsonValue::*content, T &to) {
    if (!value)
      return true;
    if (!expect(*value, kind, what))
      return false;
    to = value->*content;
    return true;
  }
  bool readText(const JsonValue *value, llvm::StringRef what,
                std::string &text) {
    return read(value, what, Kind::string, &JsonValue::text, text);
  }
  bool readFlag(const JsonValue *value, llvm::StringRef what, bool &flag) {
    return read(value, what, Kind::boolean, &JsonValue::boolean, flag);
  }
  bool readNumber(const JsonValue *value, llvm::StringRef what,
                  double &number) {
    return read(value, what, Kind::number, &JsonValue::number, number);
  }
  template <typename Enum, size_t N>
  bool readKind(const JsonValue *value, llvm::StringRef what,
                const Enum (&all)[N], Enum &kind);
  /// Reads each item of `list` with `readOne`. `what` names the list in
  /// messages.
  bool readAll(const JsonValue &list, llvm::StringRef what,
               bool (Reader::*readOne)(const JsonValue &)) {
    return expect(list, Kind::array, what) &&
           llvm::all_of(list.items, [&](const JsonValue &item) {
             return (this->*readOne)(item);
           });
  }
  bool readTopology(const JsonValue &root);
  bool readNode(const JsonValue &value);
  bool readLink(const JsonValue &value);
  bool readEnd(const JsonValue &value, llvm::StringRef key, int &node);
  bool addLink(const JsonValue &at, const Link &link);

  std::string fileName_;
  std::string error_;
  Topology topology_;
  llvm::StringMap<int> nodeOfId_;
  llvm::DenseMap<std::pair<std::pair<int, int>, int>, size_t> linkOfEnds_;
};

} // namespace

bool Reader::expect(const JsonValue &value, Kind kind,
                    const llvm::Twine &what) {
  return value.kind == kind || fail(value, what + " must be " + describe(kind) +
                                               ", got " + describe(value.kind));
}

template <size_t N>
bool Reader::readFields(const JsonValue &object, llvm::StringRef what,
                        const std::array<llvm::StringRef, N> &keys,
                        size_t required, Fields<N> &fields) {
  fields.fill(nullptr);
  if (!expect(object, Kind::object, what))
    return false;
  for (const JsonMember &member : object.members) {
    size_t key = llvm::find(keys, member.key) - keys.begin();
    if (key == N)
      return failAt(
          member.place,
          "unknown key " + inQuotes(member.key) + " in " + what +
              suggestion(member.key, Words(keys.begin(), keys.end())) +
              "; expected " + llvm::join(keys, ", "));
    if (fields[key])
      return failAt(member.place, "key " + inQuotes(member.key) +
                                      " is given twice in " + what);
    fields[key] = &member.value;
  }
  for (size_t key = 0; key < required; ++key)
    if (!fields[key])
      return fail(object,
                  what + " has no " + inQuotes(keys[key]) + "; expected " +
                      llvm::join(keys.begin(), keys.begin() + required, ", "));
  return true;
}

template <typename Enum, size_t N>
bool Reader::readKind(const JsonValue *value, llvm::StringRef what,
                      const Enum (&all)[N], Enum &kind) {
  if (!value)
    return true;
  std::string word;
  if (!readText(value, what, word))
    return false;
  Words known;
  for (Enum candidate : all) {
    known.push_back(toString(candidate));
    if (known.back() == word) {
      kind = candidate;
      return true;
    }
  }
  return fail(*value, "unknown " + what + " " + inQuotes(word) +
                          suggestion(word, known) + "; expected one of " +
                          llvm::join(known, ", "));
}

bool Reader::readNode(const JsonValue &value) {
  Fields<5> fields;
  if (!readFields<5>(value, "a node",
                     {"id", "kind", "multicast", "reduce", "device"}, 2,
                     fields))
    return false;
  Node node{};
  if (!readText(fields[0], "node id", node.id))
    return false;
  if (!isName(node.id))
    return fail(*fields[0],
                "node id must be " + kNameRule + ", got " + inQuotes(node.id));
  if (!nodeOfId_.try_emplace(node.id, topology_.nodes.size()).second)
    return fail(*fields[0],
                "a second node " + inQuotes(node.id) + "; ids must differ");
  if (!readKind(fields[1], "kind of node", sched::EnumValuesNodeKind(),
                node.kind) ||
      !readFlag(fields[2], "'multicast'", node.multicast) ||
      !readFlag(fields[3], "'reduce'", node.reduce))
    return false;
  if ((node.multicast || node.reduce) && node.kind != NodeKind::switch_)
    return fail(*fields[node.multicast ? 2 : 3],
                "only a switch can multicast or reduce, " + inQuotes(node.id) +
                    " is a " + toString(node.kind));
  if (!readText(fields[4], "'device'", node.device))
    return false;
  if (fields[4] && !isName(node.device))
    return fail(*fields[4], "'device' must be " + kNameRule + ", got " +
                                inQuotes(node.device));
  if (fields[4] && node.kind != NodeKind::nic)
    return fail(*fields[4], "only a nic has a device, " + inQuotes(node.id) +
                                " is a " + toString(node.kind));
  topology_.nodes.push_back(std::move(node));
  return topology_.nodes.size() <= sched::kMostNodes ||
         fail(value, "too many nodes; a machine has at most " +
                         llvm::Twine(sched::kMostNodes));
}

bool Reader::readEnd(const JsonValue &value, llvm::StringRef key, int &node) {
  std::string id;
  if (!readText(&value, key, id))
    return false;
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
  return true;
}

bool Reader::readLink(const JsonValue &value) {
  Fields<7> fields;
  if (!readFields<7>(
          value, "a link",
          {"from", "to", "bandwidth", "count", "latency", "kind", "directed"},
          3, fields))
    return false;
  Link link{};
  if (!readEnd(*fields[0], "'from'", link.from) ||
      !readEnd(*fields[1], "'to'", link.to))
    return false;
  if (link.from == link.to)
    return fail(*fields[1], "link joins " +
                                inQuotes(topology_.nodes[link.from].id) +
                                " to itself; expected two different nodes");

  double bandwidth = 0, count = 1;
  bool directed = false;
  link.kind = LinkKind::nvlink;
  if (!readNumber(fields[2], "link bandwidth", bandwidth) ||
      !readNumber(fields[3], "link count", count) ||
      !readNumber(fields[4], "link latency", link.latency) ||
      !readKind(fields[5], "kind of link", sched::EnumValuesLinkKind(),
                link.kind) ||
      !readFlag(fields[6], "'directed'", directed))
    return false;
  if (std::string wrong = topology_.wrongEndsOf(link); !wrong.empty())
    return fail(*fields[5], wrong);
  if (!sched::isBandwidth(bandwidth))
    return fail(*fields[2], "link bandwidth must be " +
                                llvm::Twine(sched::kBandwidthRange) + ", got " +
                                fields[2]->text);
  if (!(count >= 1 && count <= sched::kMostParallelLinks) ||
      count != std::floor(count))
    return fail(*fields[3], "link count must be a whole number from 1 to " +
                                llvm::Twine(int(sched::kMostParallelLinks)) +
                                ", got " + fields[3]->text);
  if (!sched::isLatency(link.latency))
    return fail(*fields[4], "link latency must be " +
                                llvm::Twine(sched::kLatencyRange) + ", got " +
                                fields[4]->text);

  link.bandwidth = bandwidth * count;
  link.count = static_cast<int>(count);
  Link back = link;
  std::swap(back.from, back.to);
  return addLink(value, link) && (directed || addLink(value, back));
}

bool Reader::addLink(const JsonValue &at, const Link &link) {
  auto [it, inserted] = linkOfEnds_.try_emplace(
      {{link.from, link.to}, static_cast<int>(link.kind)},
      topology_.links.size());
  if (inserted)
    topology_.links.push_back({link.from, link.to, 0, 0, link.kind, 0});
  Link &whole = topology_.links[it->second];
  whole.count = std::min(whole.count + link.count,
                         static_cast<int>(sched::kMostParallelLinks));
  whole.bandwidth += link.bandwidth;
  whole.latency = std::max(whole.latency, link.latency);
  if (!sched::isBandwidth(whole.bandwidth))
    return fail(at, "parallel links add up to " + readable(whole.bandwidth) +
                        " GB/s; expected " + sched::kBandwidthRange);
  if (topology_.links.size() > sched::kMostLinks)
    return fail(at, "too many links; a machine has at most " +
                        llvm::Twine(sched::kMostLinks));
  return true;
}

bool Reader::readTopology(const JsonValue &root) {
  Fields<6> fields;
  if (!readFields<6>(
          root, "a topology",
          {"format", "version", "nodes", "links", "name", "description"}, 4,
          fields))
    return false;
  auto [format, version, nodes, links, name, description] = fields;

  if (format->kind != Kind::string || format->text != "blink-topology")
    return fail(*format,
                "not a topology file; expected 'blink-topology', got " +
                    inQuotes(format->text));
  if (version->kind != Kind::number || version->number != 1)
    return fail(*version, "unknown version of the format; expected 1, got " +
                              inQuotes(version->text));
  topology_.name = llvm::sys::path::stem(fileName_).str();
  if (!isName(topology_.name))
    topology_.name = "machine";
  if (!readText(name, "'name'", topology_.name))
    return false;
  if (name && !isName(topology_.name))
    return fail(*name, "'name' must be " + kNameRule);
  if (!readText(description, "'description'", topology_.description) ||
      !readAll(*nodes, "'nodes'", &Reader::readNode))
    return false;
  if (llvm::none_of(topology_.nodes, [](const Node &node) {
        return node.kind == NodeKind::gpu;
      }))
    return fail(*nodes, "no node of kind gpu; a machine needs at least one");
  return readAll(*links, "'links'", &Reader::readLink);
}

llvm::Expected<Topology> blink::parseTopology(llvm::StringRef text,
                                              llvm::StringRef fileName) {
  llvm::Expected<JsonValue> root = parseLocatedJson(text, fileName);
  if (!root)
    return root.takeError();
  return Reader(fileName).read(*root);
}

llvm::Expected<Topology> blink::readTopologyFile(llvm::StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      readTextFile(path);
  if (!buffer)
    return buffer.takeError();
  return parseTopology((*buffer)->getBuffer(), path == "-" ? "<stdin>" : path);
}
