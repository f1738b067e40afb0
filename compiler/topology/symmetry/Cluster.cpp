//===- Cluster.cpp - boxes of a cluster -----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Symmetries are searched for in a graph of one box of each kind and the shared
// nodes. All boxes of a kind have the same links to the same shared nodes, so a
// permutation that changes nothing in this graph changes nothing on the machine
// if all boxes are permuted at once.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/Cluster.h"

#include "compiler/support/Error.h"
#include "compiler/support/Numbers.h"
#include "compiler/topology/symmetry/NodeColors.h"
#include "compiler/topology/symmetry/PartIsomorphism.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

using namespace blink;

using Permutation = std::vector<int>;

namespace {

/// The most elements of a group of turns. Turns of a larger group are dropped,
/// and only its swaps and exchanges are used.
constexpr size_t kMostTurns = sched::ClusterSymmetry::kMostTurns;

/// Returns the box of each node, or -1 for shared nodes.
std::vector<int> boxesOfNodes(const Topology &topology, int &numBoxes) {
  const int numNodes = static_cast<int>(topology.nodes.size());
  auto isNic = [&](int node) {
    return topology.nodes[node].kind == NodeKind::nic;
  };
  llvm::EquivalenceClasses<int> joined;
  for (int node = 0; node < numNodes; ++node)
    joined.insert(node);
  for (const Link &link : topology.links)
    if (!isNic(link.from) && !isNic(link.to))
      joined.unionSets(link.from, link.to);
  std::map<int, int> boxOfLeader;
  numBoxes = 0;
  for (int gpu : topology.gpus())
    if (boxOfLeader.try_emplace(joined.getLeaderValue(gpu), numBoxes).second)
      ++numBoxes;
  std::vector<int> boxOf(numNodes, -1);
  for (int node = 0; node < numNodes; ++node)
    if (auto box = boxOfLeader.find(joined.getLeaderValue(node));
        box != boxOfLeader.end())
      boxOf[node] = box->second;
  // Per nic: the boxes that it is linked to.
  std::vector<std::set<int>> near(numNodes);
  for (const Link &link : topology.links)
    for (auto [nic, other] :
         {std::pair(link.from, link.to), std::pair(link.to, link.from)})
      if (isNic(nic) && boxOf[other] >= 0 && !isNic(other))
        near[nic].insert(boxOf[other]);
  for (int node = 0; node < numNodes; ++node)
    if (isNic(node) && near[node].size() == 1)
      boxOf[node] = *near[node].begin();
  // Nics that are cabled to those of other boxes tell their boxes apart, as
  // shared nodes do: no link joins two boxes.
  std::set<int> cabled;
  for (const Link &link : topology.links)
    if (boxOf[link.from] >= 0 && boxOf[link.to] >= 0 &&
        boxOf[link.from] != boxOf[link.to])
      cabled.insert({link.from, link.to});
  for (int nic : cabled)
    boxOf[nic] = -1;
  return boxOf;
}

/// The links of a box, by places; shared nodes have their numbers plus the
/// number of nodes as places.
using BoxLinks = std::multiset<std::tuple<int, int, LinkProperties>>;

/// The colour of a node. Nics of different devices never change places, because
/// jobs open the devices that the representative's schedule names.
using NodeLook = std::pair<NodeProperties, std::string>;

class Finder {
public:
  Finder(const Topology &topology, Cluster &cluster)
      : topology_(topology), cluster_(cluster),
        nodeProperties_(nodeProperties(topology)),
        linkProperties_(linkProperties(topology)) {}

  void findKinds(const std::vector<int> &boxOf, int numBoxes);
  /// Finds symmetries; follows findKinds.
  void findSymmetries();

private:
  NodeLook lookOf(int node) const {
    return {nodeProperties_[node], topology_.nodes[node].device};
  }
  void buildGraph();
  void findColumns(int kind);
  void findGroups();
  void findTurns();
  /// Returns a permutation of the graph that changes nothing and takes nodes of
  /// each colour in `from` to nodes of the same colour in `to`.
  std::optional<Permutation> automorphism(const std::vector<int> &from,
                                          const std::vector<int> &to) const;
  bool close(std::set<Permutation> &group) const;

  const Topology &topology_;
  Cluster &cluster_;
  const std::vector<NodeProperties> nodeProperties_;
  const std::vector<LinkProperties> linkProperties_;
  std::vector<int> placeOf_; // per node of the topology: its place in its box
  std::vector<int> boxOf_;
  // The graph of one box of each kind and the shared nodes.
  std::vector<int> begins_; // the first node of each kind
  std::vector<int> colors_; // boxes of different kinds have different colours
  ColoredGraph graph_;
  int size_ = 0;
};

void Finder::findKinds(const std::vector<int> &boxOf, int numBoxes) {
  boxOf_ = boxOf;
  const int numNodes = static_cast<int>(topology_.nodes.size());
  placeOf_.assign(numNodes, -1);
  cluster_.boxes.resize(numBoxes);
  for (bool gpus : {true, false})
    for (int node = 0; node < numNodes; ++node) {
      if ((topology_.nodes[node].kind == NodeKind::gpu) != gpus)
        continue;
      if (boxOf[node] < 0) {
        cluster_.shared.push_back(node);
        continue;
      }
      auto &nodes = cluster_.boxes[boxOf[node]].nodes;
      placeOf_[node] = static_cast<int>(nodes.size());
      nodes.push_back(node);
    }
  std::vector<BoxLinks> links(numBoxes);
  for (auto [index, link] : llvm::enumerate(topology_.links)) {
    auto place = [&](int node) {
      return placeOf_[node] >= 0 ? placeOf_[node] : numNodes + node;
    };
    for (int box : std::set<int>{boxOf[link.from], boxOf[link.to]})
      if (box >= 0)
        links[box].emplace(place(link.from), place(link.to),
                           linkProperties_[index]);
  }
  std::map<std::pair<std::vector<NodeLook>, BoxLinks>, int> kinds;
  for (int box = 0; box < numBoxes; ++box) {
    std::vector<NodeLook> nodes;
    for (int node : cluster_.boxes[box].nodes)
      nodes.push_back(lookOf(node));
    const int gpus = static_cast<int>(
        llvm::count_if(cluster_.boxes[box].nodes, [&](int node) {
          return topology_.nodes[node].kind == NodeKind::gpu;
        }));
    auto [kind, isNew] =
        kinds.try_emplace({std::move(nodes), std::move(links[box])},
                          static_cast<int>(cluster_.kinds.size()));
    cluster_.boxes[box].kind = kind->second;
    if (isNew) {
      cluster_.kinds.emplace_back();
      cluster_.kinds.back().gpus = gpus;
    }
  }
}

void Finder::buildGraph() {
  std::vector<int> placeIn(topology_.nodes.size(), -1);
  std::vector<int> nodes;
  for (size_t kind = 0; kind < cluster_.kinds.size(); ++kind) {
    begins_.push_back(static_cast<int>(nodes.size()));
    auto first = llvm::find_if(cluster_.boxes, [&](const auto &box) {
      return box.kind == static_cast<int>(kind);
    });
    llvm::append_range(nodes, first->nodes);
  }
  begins_.push_back(static_cast<int>(nodes.size()));
  llvm::append_range(nodes, cluster_.shared);
  size_ = static_cast<int>(nodes.size());
  graph_.arcs.resize(size_);
  std::vector<std::pair<int, NodeLook>> looks;
  for (auto [place, node] : llvm::enumerate(nodes)) {
    placeIn[node] = static_cast<int>(place);
    const int box = boxOf_[node];
    looks.emplace_back(box < 0 ? -1 : cluster_.boxes[box].kind, lookOf(node));
  }
  colors_ = numberDistinct(looks);
  std::vector<int> linkColors = numberDistinct(linkProperties_);
  for (auto [index, link] : llvm::enumerate(topology_.links)) {
    int from = placeIn[link.from], to = placeIn[link.to];
    if (from < 0 || to < 0)
      continue;
    graph_.arcs[from].push_back({to, 2 * uint64_t(linkColors[index])});
    graph_.arcs[to].push_back({from, 2 * uint64_t(linkColors[index]) + 1});
  }
}

std::optional<Permutation>
Finder::automorphism(const std::vector<int> &from,
                     const std::vector<int> &to) const {
  return PartGraph::isomorphism(PartGraph(graph_, from), PartGraph(graph_, to));
}

/// Finds the GPUs of a box that can be swapped while all other GPUs and all
/// shared nodes stay where they are.
void Finder::findColumns(int number) {
  Cluster::Kind &kind = cluster_.kinds[number];
  const int begin = begins_[number], end = begins_[number + 1];
  std::vector<int> colors = colors_;
  int next = size_;
  for (int node = 0; node < size_; ++node)
    if (node < begin || node >= end || node < begin + kind.gpus)
      colors[node] = next++;
  std::vector<int> last; // by column: its last GPU so far
  for (int gpu = 0; gpu < kind.gpus; ++gpu) {
    size_t column = 0;
    for (; column < last.size(); ++column) {
      std::vector<int> swapped = colors;
      std::swap(swapped[begin + gpu], swapped[begin + last[column]]);
      auto swap = automorphism(colors, swapped);
      if (!swap)
        continue;
      Permutation own(swap->begin() + begin, swap->begin() + end);
      for (int &place : own)
        place -= begin;
      kind.swaps.push_back(std::move(own));
      break;
    }
    kind.columns.push_back(static_cast<uint16_t>(column));
    if (column == last.size())
      last.push_back(gpu);
    else
      last[column] = gpu;
  }
}

/// Finds the columns that can be exchanged in all boxes at once.
void Finder::findGroups() {
  const size_t columns = 1 + *llvm::max_element(cluster_.kinds.front().columns);
  // By column: its GPUs in the graph, as pairs of kind and node.
  std::vector<std::vector<std::pair<int, int>>> members(columns);
  for (auto [number, kind] : llvm::enumerate(cluster_.kinds)) {
    if (1u + *llvm::max_element(kind.columns) != columns)
      return;
    for (auto [gpu, column] : llvm::enumerate(kind.columns))
      members[column].emplace_back(int(number), begins_[number] + int(gpu));
  }
  // Each pair of column and kind has a colour.
  std::vector<int> colors = colors_;
  auto colorAs = [&](size_t column, size_t other, std::vector<int> &list) {
    for (auto [kind, node] : members[column])
      list[node] =
          size_ + static_cast<int>(other * cluster_.kinds.size()) + kind;
  };
  for (size_t column = 0; column < columns; ++column)
    colorAs(column, column, colors);
  std::vector<size_t> last; // by group: its last column so far
  for (size_t column = 0; column < columns; ++column) {
    size_t group = 0;
    for (; group < last.size(); ++group) {
      if (members[column].size() != members[last[group]].size())
        continue;
      std::vector<int> exchanged = colors;
      colorAs(column, last[group], exchanged);
      colorAs(last[group], column, exchanged);
      auto exchange = automorphism(colors, exchanged);
      if (!exchange)
        continue;
      cluster_.exchanges.push_back(std::move(*exchange));
      break;
    }
    cluster_.groups.push_back(static_cast<uint16_t>(group));
    if (group == last.size())
      last.push_back(column);
    else
      last[group] = column;
  }
}

/// Adds all products to `group`. Returns false if it gets more than kMostTurns
/// elements.
bool Finder::close(std::set<Permutation> &group) const {
  const std::vector<Permutation> generators(group.begin(), group.end());
  std::vector<Permutation> work = generators;
  group.insert(firstNumbers(size_));
  while (!work.empty()) {
    Permutation one = std::move(work.back());
    work.pop_back();
    for (const Permutation &generator : generators) {
      Permutation product;
      for (int place : one)
        product.push_back(generator[place]);
      if (group.insert(product).second) {
        if (group.size() > kMostTurns)
          return false;
        work.push_back(std::move(product));
      }
    }
  }
  return true;
}

/// Finds symmetries that are neither swaps nor exchanges, if there are few of
/// them.
void Finder::findTurns() {
  std::set<Permutation> whole; // these may move shared nodes, too
  auto pin = [&](int from, int to, bool fix) -> std::optional<Permutation> {
    std::vector<int> before = colors_;
    if (fix)
      for (int node = begins_.back(); node < size_; ++node)
        before[node] = size_ + node;
    std::vector<int> behind = before;
    before[from] = behind[to] = 2 * size_;
    return automorphism(before, behind);
  };
  for (auto [number, kind] : llvm::enumerate(cluster_.kinds)) {
    const int begin = begins_[number];
    std::set<Permutation> own;
    for (int a = 0; a < kind.gpus; ++a)
      for (int b = a + 1; b < kind.gpus; ++b) {
        if (kind.columns[a] == kind.columns[b])
          continue;
        if (auto found = pin(begin + a, begin + b, true)) {
          // Keep the nodes of all other boxes where they are.
          for (int node = 0; node < size_; ++node)
            if (node < begin || node >= begins_[number + 1])
              (*found)[node] = node;
          own.insert(std::move(*found));
        } else if (cluster_.groups.empty() ||
                   cluster_.groups[kind.columns[a]] !=
                       cluster_.groups[kind.columns[b]]) {
          if (auto all = pin(begin + a, begin + b, false))
            whole.insert(std::move(*all));
        }
      }
    if (own.empty() || !close(own))
      continue;
    own.erase(firstNumbers(size_));
    for (const Permutation &one : own) {
      Permutation turn(one.begin() + begin, one.begin() + begins_[number + 1]);
      for (int &place : turn)
        place -= begin;
      kind.turns.push_back(std::move(turn));
    }
  }
  if (whole.empty() || !close(whole))
    return;
  whole.erase(firstNumbers(size_));
  cluster_.turns.assign(whole.begin(), whole.end());
}

void Finder::findSymmetries() {
  buildGraph();
  for (size_t kind = 0; kind < cluster_.kinds.size(); ++kind)
    findColumns(static_cast<int>(kind));
  findGroups();
  findTurns();
}

} // namespace

Cluster Cluster::findBoxes(const Topology &topology) {
  int numBoxes = 0;
  const std::vector<int> boxOf = boxesOfNodes(topology, numBoxes);
  Cluster cluster;
  Finder(topology, cluster).findKinds(boxOf, numBoxes);
  return cluster;
}

llvm::Expected<Cluster> Cluster::find(const Topology &topology) {
  int numBoxes = 0;
  const std::vector<int> boxOf = boxesOfNodes(topology, numBoxes);
  if (numBoxes < 2)
    return makeError("'{0}' is one box: there are no nodes of kind nic between "
                     "its GPUs; name allocations by their GPUs",
                     topology.name);
  std::vector<size_t> gpus(numBoxes, 0);
  for (int gpu : topology.gpus())
    if (++gpus[boxOf[gpu]] > sched::ClusterSymmetry::kMostBoxGpus)
      return makeError("'{0}' has a box of more than {1} GPUs; name "
                       "allocations by their GPUs",
                       topology.name, sched::ClusterSymmetry::kMostBoxGpus);
  Cluster cluster;
  Finder finder(topology, cluster);
  finder.findKinds(boxOf, numBoxes);
  finder.findSymmetries();
  return cluster;
}

sched::ClusterSymmetry Cluster::symmetry(const Topology &topology) const {
  using Numbers = sched::ClusterSymmetry::Numbers;
  sched::ClusterSymmetry result;
  std::vector<int> gpuOf(topology.nodes.size(), -1);
  for (auto [gpu, node] : llvm::enumerate(topology.gpus()))
    gpuOf[node] = static_cast<int>(gpu);
  std::vector<std::vector<int>> whole = turns;
  int begin = 0;
  result.turns.resize(turns.size() + 1);
  for (auto [number, kind] : llvm::enumerate(kinds)) {
    auto same = firstNumbers(kind.gpus);
    sched::ClusterSymmetry::Kind own{kind.columns,
                                     {Numbers(same.begin(), same.end())}};
    for (const std::vector<int> &turn : kind.turns)
      own.turns.emplace_back(turn.begin(), turn.begin() + kind.gpus);
    result.turns[0].push_back(own.turns.front());
    for (auto [t, turn] : llvm::enumerate(turns)) {
      Numbers &list = result.turns[t + 1].emplace_back();
      for (int gpu = begin; gpu < begin + kind.gpus; ++gpu)
        list.push_back(static_cast<uint16_t>(turn[gpu] - begin));
    }
    auto first = llvm::find_if(boxes, [&, k = number](const Box &box) {
      return box.kind == static_cast<int>(k);
    });
    begin += static_cast<int>(first->nodes.size());
    result.kinds.push_back(std::move(own));
  }
  for (const Box &box : boxes) {
    Numbers gpus;
    for (int i = 0; i < kinds[box.kind].gpus; ++i)
      gpus.push_back(static_cast<uint16_t>(gpuOf[box.nodes[i]]));
    result.boxes.push_back({static_cast<uint16_t>(box.kind), std::move(gpus)});
  }
  result.groups = groups;
  result.index();
  return result;
}

Topology Cluster::part(const Topology &topology,
                       const std::vector<uint16_t> &used) const {
  std::vector<bool> kept(topology.nodes.size(), false);
  for (int node : shared)
    kept[node] = true;
  for (uint16_t box : used)
    for (int node : boxes[box].nodes)
      kept[node] = true;
  Topology part = partOf(topology, kept).topology;
  part.name = topology.name;
  part.description = topology.description;
  return part;
}

TopologyPart blink::partOf(const Topology &topology,
                           const std::vector<bool> &kept) {
  TopologyPart part;
  std::vector<int> numbers(topology.nodes.size(), -1);
  for (auto [index, node] : llvm::enumerate(topology.nodes))
    if (kept[index]) {
      numbers[index] = static_cast<int>(part.topology.nodes.size());
      part.topology.nodes.push_back(node);
    }
  for (auto [index, link] : llvm::enumerate(topology.links))
    if (kept[link.from] && kept[link.to]) {
      part.links.push_back(static_cast<int>(index));
      part.topology.links.push_back(link);
      part.topology.links.back().from = numbers[link.from];
      part.topology.links.back().to = numbers[link.to];
    }
  return part;
}
