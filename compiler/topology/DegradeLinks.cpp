//===- DegradeLinks.cpp - a machine with broken or slow links -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/DegradeLinks.h"

#include "compiler/support/Decimal.h"
#include "compiler/support/Error.h"
#include "compiler/support/Numbers.h"
#include "schedules/MachineLimits.h"

#include "nlohmann/json.hpp"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <map>
#include <set>

using namespace blink;

namespace {

using Ends = std::pair<int, int>; // node indices, ascending

llvm::Error errorAt(const LinkEdit &edit, const llvm::Twine &message) {
  return makeError(edit.place + ": " + message);
}

/// Returns "gpu0, gpu1"; of more than 16 ids, the first 16 and the number of
/// the others.
std::string listIds(const Topology &topology, llvm::ArrayRef<int> nodes) {
  constexpr size_t kMostListed = 16;
  std::vector<std::string> ids;
  for (int node : nodes.take_front(kMostListed))
    ids.push_back(topology.nodes[node].id);
  std::string text = llvm::join(ids, ", ");
  if (nodes.size() > kMostListed)
    text += " and " + std::to_string(nodes.size() - kMostListed) + " more";
  return text;
}

/// Returns "gpu0 has links to gpu1, gpu2", the remedy in an error.
std::string neighbours(const Topology &topology, int node) {
  std::set<int> others;
  for (const Link &link : topology.links)
    if (link.from == node || link.to == node)
      others.insert(link.from == node ? link.to : link.from);
  const std::string &id = topology.nodes[node].id;
  if (others.empty())
    return id + " has no links";
  return id + " has links to " +
         listIds(topology, std::vector<int>(others.begin(), others.end()));
}

/// Returns the index of a node, or -1 if there is no such node.
int findNode(const Topology &topology, llvm::StringRef id) {
  const auto node = llvm::find_if(
      topology.nodes, [&](const Node &node) { return node.id == id; });
  return node == topology.nodes.end() ? -1 : int(node - topology.nodes.begin());
}

/// Returns the ways to split `text` into two ids, one for each colon.
std::vector<std::pair<llvm::StringRef, llvm::StringRef>>
splitEnds(llvm::StringRef text) {
  std::vector<std::pair<llvm::StringRef, llvm::StringRef>> splits;
  for (size_t at = text.find(':'); at != llvm::StringRef::npos;
       at = text.find(':', at + 1))
    splits.emplace_back(text.take_front(at), text.drop_front(at + 1));
  return splits;
}

llvm::Error unknownEnds(const Topology &topology, const LinkEdit &edit) {
  llvm::StringRef text = edit.ends;
  if (!text.contains(':'))
    return errorAt(edit, "'" + text +
                             "' is not a link; write the ids of its two nodes "
                             "with ':' between, as in gpu0:gpu1");
  // If the text before some colon is a known id, the text behind that colon is
  // the unknown one.
  auto [first, second] = text.split(':');
  for (auto [a, b] : splitEnds(text))
    if (findNode(topology, a) >= 0) {
      first = a;
      second = b;
    }
  int known = findNode(topology, first);
  return errorAt(
      edit, "'" + topology.name + "' has no node '" +
                (known < 0 ? first : second) + "'; " +
                (known < 0 ? "there are " +
                                 listIds(topology,
                                         firstNumbers(topology.nodes.size()))
                           : neighbours(topology, known)));
}

/// Returns the nodes whose links `edit` changes.
llvm::Expected<Ends> readEnds(const Topology &topology, const LinkEdit &edit) {
  std::vector<Ends> readings = nodesNamed(topology, edit.ends);
  if (readings.empty())
    return unknownEnds(topology, edit);
  if (readings.size() > 1)
    return errorAt(edit, "'" + edit.ends +
                             "' can be read in several ways; give the nodes of "
                             "the topology ids without ':'");
  if (readings[0].first == readings[0].second)
    return errorAt(edit, "names one node twice; name two that a link joins: " +
                             neighbours(topology, readings[0].first));
  return readings[0];
}

} // namespace

std::vector<std::pair<int, int>> blink::nodesNamed(const Topology &topology,
                                                   llvm::StringRef ends) {
  std::vector<Ends> readings;
  for (auto [first, second] : splitEnds(ends)) {
    int a = findNode(topology, first), b = findNode(topology, second);
    if (a >= 0 && b >= 0)
      readings.push_back(std::minmax(a, b));
  }
  return readings;
}

std::string LinkEdit::toString() const {
  // The shortest text that reads back as the same number.
  return limit ? ends + "=" + nlohmann::json(*limit).dump() : ends;
}

llvm::Expected<LinkEdit> blink::parseLinkLimit(llvm::StringRef text,
                                               llvm::StringRef place) {
  auto [ends, amount] = text.rsplit('=');
  LinkEdit edit{ends.str(), 0, place.str()};
  if (!text.contains('='))
    return errorAt(edit, "no limit in '" + text +
                             "'; write what is left in GB/s behind '=', as in "
                             "gpu0:gpu1=12.5");
  double limit;
  if (!parseDecimal(amount, limit) || !sched::isBandwidth(limit))
    return errorAt(edit, "'" + amount + "' is not a bandwidth; write " +
                             sched::kBandwidthRange +
                             ", or take the link away altogether");
  edit.limit = limit;
  return edit;
}

/// Limits the links from one node to another, which have `bandwidth` together.
static void limitLinks(Topology &topology, int from, int to, double bandwidth,
                       double limit) {
  if (bandwidth <= limit)
    return;
  for (Link &link : topology.links)
    if (link.from == from && link.to == to)
      // A single link gets exactly the limit: its quotient is 1.
      link.bandwidth = limit * (link.bandwidth / bandwidth);
}

void blink::removeLinks(Topology &topology, int nodeA, int nodeB) {
  llvm::erase_if(topology.links, [&](const Link &link) {
    return (link.from == nodeA && link.to == nodeB) ||
           (link.from == nodeB && link.to == nodeA);
  });
}

llvm::Expected<DegradedTopology>
blink::degradeLinks(Topology topology, const std::vector<LinkEdit> &edits) {
  std::map<Ends, LinkEdit> byEnds;
  for (const LinkEdit &edit : edits) {
    llvm::Expected<Ends> ends = readEnds(topology, edit);
    if (!ends)
      return ends.takeError();
    std::string a = topology.nodes[ends->first].id;
    std::string b = topology.nodes[ends->second].id;
    if (!byEnds.try_emplace(*ends, edit).second)
      return errorAt(edit, "the links between " + a + " and " + b +
                               " are named a second time; say once what is "
                               "left of them");
    byEnds[*ends].ends = a + ":" + b;
  }

  for (const auto &[ends, edit] : byEnds) {
    auto [a, b] = ends;
    double forth = topology.bandwidth(a, b), back = topology.bandwidth(b, a);
    if (forth == 0 && back == 0)
      return errorAt(edit, "no link joins " + topology.nodes[a].id + " and " +
                               topology.nodes[b].id + "; " +
                               neighbours(topology, a));
    if (!edit.limit) {
      removeLinks(topology, a, b);
      continue;
    }
    if (*edit.limit >= std::max(forth, back))
      return errorAt(edit, "the links between " + topology.nodes[a].id +
                               " and " + topology.nodes[b].id +
                               " have at most " +
                               readable(std::max(forth, back)) +
                               " GB/s each way; a limit must be below that");
    limitLinks(topology, a, b, forth, *edit.limit);
    limitLinks(topology, b, a, back, *edit.limit);
    for (const Link &link : topology.links)
      if (std::minmax(link.from, link.to) == std::minmax(a, b) &&
          !sched::isBandwidth(link.bandwidth))
        return errorAt(edit, "leaves " + readable(link.bandwidth) +
                                 " GB/s of the " + blink::toString(link.kind) +
                                 " link; expected " + sched::kBandwidthRange +
                                 " of each, so give a higher limit, or take "
                                 "them all away");
  }

  std::vector<LinkEdit> done;
  for (bool limits : {false, true})
    for (const auto &[ends, edit] : byEnds)
      if (edit.limit.has_value() == limits)
        done.push_back(edit);
  return DegradedTopology{std::move(topology), std::move(done)};
}

std::string blink::describeEdits(const std::vector<LinkEdit> &edits) {
  std::string without, limited;
  for (const LinkEdit &edit : edits)
    if (edit.limit)
      limited += (limited.empty() ? "" : ", ") + edit.ends + " limited to " +
                 readable(*edit.limit) + " GB/s";
    else
      without += (without.empty() ? "without " : ", ") + edit.ends;
  return without + (without.empty() || limited.empty() ? "" : "; ") + limited;
}
