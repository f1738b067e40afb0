//===- AllocationClasses.cpp - allocations that are alike -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Each allocation's part of the machine becomes a coloured graph, which is
// compared with the representatives so far that have the same invariant.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/symmetry/AllocationClasses.h"

#include "compiler/support/Error.h"
#include "compiler/support/Numbers.h"
#include "compiler/topology/AllocationList.h"
#include "compiler/topology/fabric/DrivableLinks.h"
#include "compiler/topology/symmetry/NodeColors.h"
#include "compiler/topology/symmetry/PartIsomorphism.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace blink;

static std::string describe(const std::vector<int> &gpus) {
  return "allocation {" + joinNumbers(gpus) + "}";
}

/// Sorts the GPUs of each allocation, and the allocations. The error says what
/// is wrong with one of them.
static llvm::Error normalise(std::vector<std::vector<int>> &allocations,
                             const RankTopology &machine) {
  for (std::vector<int> &gpus : allocations) {
    if (gpus.empty())
      return makeError("an allocation without a GPU; name at least one");
    std::sort(gpus.begin(), gpus.end());
    for (int gpu : {gpus.front(), gpus.back()})
      if (gpu < 0 || gpu >= machine.numRanks())
        return makeError(describe(gpus) + ": GPU " + llvm::Twine(gpu) +
                         " does not exist: '" + machine.topology().name +
                         "' has GPUs 0 to " +
                         llvm::Twine(machine.numRanks() - 1));
    auto twice = std::adjacent_find(gpus.begin(), gpus.end());
    if (twice != gpus.end())
      return makeError(describe(gpus) + ": GPU " + llvm::Twine(*twice) +
                       " is listed twice; each rank needs its own GPU");
  }
  std::sort(allocations.begin(), allocations.end(), isSmallerSet);
  auto twice = std::adjacent_find(allocations.begin(), allocations.end());
  if (twice != allocations.end())
    return makeError(describe(*twice) + " is listed twice; list each once");
  return llvm::Error::success();
}

namespace {

/// The part that an allocation uses: its nodes, GPUs first and in order, and
/// the graph of the part, whose nodes are indices into that list.
struct Part {
  std::vector<int> nodes;
  PartGraph graph;
};

/// The colour of an arc between GPUs that are joined by links which no path
/// between them may use.
constexpr int kForbiddenArc = 0;

/// Colours of nodes and links, shared by all machines.
struct Colors {
  Numbering<NodeProperties> nodeColors{0};
  // 0 is kForbiddenArc, the colour of the arcs that addForbiddenArcs() adds.
  Numbering<LinkProperties> edgeColors{1};
};

class PartBuilder {
public:
  PartBuilder(const RankTopology &machine, Colors &colors);
  Part build(const std::vector<int> &gpus);

private:
  void markLinks(const std::vector<int> &gpus);
  void addForbiddenArcs(const std::vector<int> &gpus,
                        ColoredGraph &graph) const;

  const RankTopology &machine_;
  const Topology &topology_;
  DrivableLinks drivable_;
  std::vector<int> nodeColors_;            // per node
  std::vector<int> edgeColors_;            // per link
  std::vector<std::vector<int>> outLinks_; // per node
  // State of the allocation being built.
  std::vector<char> isUsed_; // per link
  std::vector<int> links_;   // used ones, ascending
  std::vector<int> placeOf_; // per node; -1 outside the part
};

PartBuilder::PartBuilder(const RankTopology &machine, Colors &colors)
    : machine_(machine), topology_(machine.topology()), drivable_(machine),
      outLinks_(topology_.nodes.size()), isUsed_(topology_.links.size(), false),
      placeOf_(topology_.nodes.size(), -1) {
  nodeColors_ = colors.nodeColors.of(nodeProperties(topology_));
  edgeColors_ = colors.edgeColors.of(linkProperties(topology_));
  for (size_t index = 0; index < topology_.links.size(); ++index)
    outLinks_[topology_.links[index].from].push_back(static_cast<int>(index));
}

void PartBuilder::markLinks(const std::vector<int> &gpus) {
  for (int link : links_)
    isUsed_[link] = false;
  links_ = drivable_.among(gpus);
  for (int link : links_)
    isUsed_[link] = true;
}

static void addArc(ColoredGraph &graph, int from, int to, int edgeColor) {
  graph.arcs[from].push_back({to, 2 * uint64_t(edgeColor)});
  graph.arcs[to].push_back({from, 2 * uint64_t(edgeColor) + 1});
}

/// Adds an arc between two GPUs that are joined by links which no path between
/// them may use: the two are peer-joined and reach each other over peer links
/// only. The arc keeps such a pair from being taken for a pair without such
/// links.
void PartBuilder::addForbiddenArcs(const std::vector<int> &gpus,
                                   ColoredGraph &graph) const {
  if (std::all_of(links_.begin(), links_.end(), [&](int link) {
        return isPeerLink(topology_.links[link].kind);
      }))
    return;
  std::vector<int> place(topology_.nodes.size() * numPathLayers, -1);
  for (size_t from = 0; from < gpus.size(); ++from) {
    // Visits all routes over used links that cross no cpu, nic or GPU. `place`
    // holds the GPU from which a (node, layer) was last met.
    int mark = static_cast<int>(from);
    std::vector<std::pair<int, PathLayer>> stack = {
        {machine_.nodeOf(gpus[from]), peerLayer}};
    while (!stack.empty()) {
      auto [node, layer] = stack.back();
      stack.pop_back();
      for (int index : outLinks_[node]) {
        const Link &link = topology_.links[index];
        PathLayer next = nextLayer(topology_, layer, link);
        int &met = place[link.to * numPathLayers + static_cast<int>(next)];
        if (!isUsed_[index] || next == hostLayer || met == mark)
          continue;
        met = mark;
        if (topology_.nodes[link.to].kind != NodeKind::gpu) {
          stack.emplace_back(link.to, next);
          continue;
        }
        int to = placeOf_[link.to]; // in the part because the link is used
        if (next == pcieLayer && to != mark &&
            machine_.peerJoined(gpus[from], gpus[to]))
          addArc(graph, mark, to, kForbiddenArc);
      }
    }
  }
}

Part PartBuilder::build(const std::vector<int> &gpus) {
  markLinks(gpus);
  std::vector<int> nodes, transit;
  for (int gpu : gpus)
    nodes.push_back(machine_.nodeOf(gpu));
  for (size_t place = 0; place < nodes.size(); ++place)
    placeOf_[nodes[place]] = static_cast<int>(place);
  for (int link : links_)
    for (int end : {topology_.links[link].from, topology_.links[link].to})
      if (topology_.nodes[end].kind != NodeKind::gpu)
        transit.push_back(end);
  std::sort(transit.begin(), transit.end());
  transit.erase(std::unique(transit.begin(), transit.end()), transit.end());
  for (int node : transit) {
    placeOf_[node] = static_cast<int>(nodes.size());
    nodes.push_back(node);
  }

  ColoredGraph graph;
  graph.arcs.resize(nodes.size());
  std::vector<int> nodeColors;
  for (int node : nodes)
    nodeColors.push_back(nodeColors_[node]);
  for (int index : links_) {
    const Link &link = topology_.links[index];
    addArc(graph, placeOf_[link.from], placeOf_[link.to], edgeColors_[index]);
  }
  addForbiddenArcs(gpus, graph);
  for (int node : nodes)
    placeOf_[node] = -1;
  return {std::move(nodes), PartGraph(std::move(graph), std::move(nodeColors))};
}

/// Turns a map between places of two parts into one between nodes of the
/// topology.
NodeMap nodeMap(size_t numNodes, const Part &from, const Part &to,
                const std::vector<int> &places) {
  NodeMap map(numNodes, -1);
  for (size_t place = 0; place < places.size(); ++place)
    map[from.nodes[place]] = to.nodes[places[place]];
  return map;
}

AllocationClass makeClass(const std::vector<int> &gpus, const Part &part,
                          size_t numNodes, int machine) {
  AllocationClass result{gpus, {}, {}, machine};
  int n = static_cast<int>(gpus.size());
  for (int rank = 0; rank < n; ++rank) {
    int least = rank;
    std::vector<int> places = firstNumbers(part.nodes.size());
    for (int other = 0; other < rank && least == rank; ++other) {
      if (result.leastRank[other] != other)
        continue;
      if (part.graph.areTwins(other, rank)) {
        std::swap(places[other], places[rank]);
        least = other;
      } else if (auto found = PartGraph::isomorphism(part.graph, part.graph,
                                                     std::pair(other, rank))) {
        places = std::move(*found);
        least = other;
      }
    }
    result.leastRank.push_back(least);
    result.symmetryTo.push_back(nodeMap(numNodes, part, part, places));
  }
  return result;
}

} // namespace

struct AllocationClassifier::State {
  const LinkKindSet kinds;
  int numMachines = 0;
  Colors colors;
  std::vector<AllocationClass> classes;
  std::vector<Part> representatives;                             // per class
  std::map<std::vector<uint64_t>, std::vector<int>> classesWith; // by invariant

  ClassifiedAllocation place(std::vector<int> gpus, Part part, size_t numNodes);
};

AllocationClassifier::AllocationClassifier(LinkKindSet kinds)
    : state_(new State{kinds, 0, {}, {}, {}, {}}) {}

AllocationClassifier::~AllocationClassifier() = default;

const std::vector<AllocationClass> &AllocationClassifier::classes() const {
  return state_->classes;
}

/// Finds the class of an allocation, or makes the allocation a new class.
ClassifiedAllocation AllocationClassifier::State::place(std::vector<int> gpus,
                                                        Part part,
                                                        size_t numNodes) {
  std::vector<int> &alike = classesWith[part.graph.invariant()];
  for (int index : alike)
    if (auto places =
            PartGraph::isomorphism(representatives[index].graph, part.graph)) {
      NodeMap map = nodeMap(numNodes, representatives[index], part, *places);
      return {std::move(gpus), index, std::move(map)};
    }
  int index = static_cast<int>(classes.size());
  alike.push_back(index);
  classes.push_back(makeClass(gpus, part, numNodes, numMachines));
  NodeMap map = nodeMap(numNodes, part, part, firstNumbers(part.nodes.size()));
  representatives.push_back(std::move(part));
  return {std::move(gpus), index, std::move(map)};
}

llvm::Expected<std::vector<ClassifiedAllocation>>
AllocationClassifier::classify(const Topology &topology,
                               std::vector<std::vector<int>> allocations) {
  llvm::Expected<RankTopology> machine =
      RankTopology::create(topology, {}, state_->kinds);
  if (!machine)
    return machine.takeError();
  if (machine->numRanks() > RankTopology::kMostPaired)
    return makeError("a machine of {0} GPUs; allocations are told apart on "
                     "machines of up to {1}",
                     machine->numRanks(), RankTopology::kMostPaired);
  if (llvm::Error error = normalise(allocations, *machine))
    return error;
  std::vector<ClassifiedAllocation> result;
  PartBuilder builder(*machine, state_->colors);
  for (std::vector<int> &gpus : allocations) {
    Part part = builder.build(gpus);
    result.push_back(
        state_->place(std::move(gpus), std::move(part), topology.nodes.size()));
  }
  ++state_->numMachines;
  return result;
}
