//===- NcclGraph.cpp - chains and rings as NCCL's graph XML ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// NCCL's allreduce uses chains up and down (graph 1) or rings (graph 0); all
// its other collectives that Blink has schedules for use rings. All channels of
// a graph have the same speed.
//
//===----------------------------------------------------------------------===//

#include "compiler/export/Chains.h"
#include "compiler/export/Export.h"
#include "compiler/export/PlainNotes.h"
#include "compiler/export/XmlText.h"

#include "compiler/support/Error.h"
#include "compiler/topology/Topology.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>

using namespace blink;

namespace {

/// Channels that visit the ranks in the same order.
struct Order {
  std::vector<int> ranks;
  double load; ///< share of all data over each link
  int channels = 0;
};

enum GraphId { kRing = 0, kTree = 1 };

} // namespace

/// NCCL has arrays of 32 channels; newer versions have longer ones.
static constexpr int kMostChannels = 32;
/// GB/s that a channel, which is one thread block, is assumed to move.
static constexpr double kChannelRate = 25;
static constexpr double kSame = 1e-9;

/// Gives each order a number of channels in proportion to its load,
/// approximately if kMostChannels do not suffice. As all of NCCL's channels
/// carry the same, an order may then carry more than its load: returns the
/// largest such excess, relative to the load; infinite if there are more orders
/// than channels.
static double countChannels(std::vector<Order> &orders) {
  double total = 0;
  for (const Order &order : orders)
    total += order.load;
  std::vector<Order> best;
  double least = INFINITY;
  for (int count = 1; count <= kMostChannels; ++count) {
    int used = 0;
    for (Order &order : orders) {
      order.channels = std::max(
          1, static_cast<int>(std::lround(order.load / total * count)));
      used += order.channels;
    }
    double most = 0;
    for (const Order &order : orders)
      most = std::max(most, order.channels * total / (used * order.load) - 1);
    if (used <= kMostChannels && most < least - kSame) {
      least = most;
      best = orders;
    }
  }
  if (!best.empty())
    orders = std::move(best);
  return least;
}

/// Returns NCCL's name of the slowest kind of path that channels of `variant`
/// use.
static const char *pathType(const sched::Topology &machine,
                            const sched::Variant &variant) {
  static constexpr const char *kTypes[] = {"NVL", "PIX", "PXB", "PHB", "SYS"};
  size_t slowest = 0;
  for (const sched::Channel *channel : *variant.channels()) {
    size_t switches = 0, type = 0;
    for (uint32_t i = 0; i < channel->path_count(); ++i) {
      const sched::Link &link = *machine.links()->Get(
          variant.paths()->Get(channel->path_begin() + i));
      const NodeKind to = machine.nodes()->Get(link.to())->kind();
      if (link.kind() == LinkKind::host)
        type = std::max<size_t>(type, 4);
      else if (to == NodeKind::cpu)
        type = std::max<size_t>(type, 3);
      else if (link.kind() == LinkKind::pcie && to == NodeKind::switch_)
        type = std::max<size_t>(type, ++switches > 1 ? 2 : 1);
    }
    slowest = std::max(slowest, type);
  }
  return kTypes[slowest];
}

/// Returns rings whose links carry what the links of the circle carry in the
/// schedule. Errors: links of a circle that do not all carry the same.
static llvm::Expected<std::vector<Order>>
ringsOf(const std::vector<Chain> &chains) {
  std::vector<Order> rings;
  for (const Chain &circle : circlesOf(chains)) {
    const size_t numRanks = circle.ranks.size();
    std::vector<int> ranks = circle.ranks;
    for (int direction = 0; direction < 2; ++direction) {
      double least = INFINITY, most = 0;
      for (size_t i = 0; i < numRanks; ++i) {
        auto found = circle.loads.find({ranks[i], ranks[(i + 1) % numRanks]});
        double load = found == circle.loads.end() ? 0 : found->second;
        least = std::min(least, load);
        most = std::max(most, load);
      }
      if (most - least > kSame)
        return makeError(
            "the chains of ranks {0} leave out some links of "
            "their circle more than others, so they are no ring",
            llvm::join(
                llvm::map_range(circle.ranks,
                                [](int rank) { return std::to_string(rank); }),
                ","));
      if (most > kSame)
        rings.push_back({ranks, most});
      std::reverse(ranks.begin() + 1, ranks.end());
      if (numRanks == 2)
        break; // both directions are the same ring
    }
  }
  return rings;
}

/// Returns the rings of a broadcast or reduce, which starts or ends at one end
/// of a chain.
static llvm::Expected<std::vector<Order>>
rootedRings(const std::vector<Chain> &chains) {
  std::vector<Order> rings;
  for (const Chain &chain : chains) {
    std::vector<int> ranks = chain.ranks;
    if (!chain.loads.count({ranks[0], ranks[1]}))
      std::reverse(ranks.begin(), ranks.end());
    for (size_t i = 0; i + 1 < ranks.size(); ++i)
      if (!chain.loads.count({ranks[i], ranks[i + 1]}) ||
          chain.loads.count({ranks[i + 1], ranks[i]}))
        return makeError("the chain of ranks {0} to {1} has its root between "
                         "its ends; NCCL's rings begin or end at the root",
                         ranks.front(), ranks.back());
    rings.push_back({ranks, chain.share});
  }
  return rings;
}

namespace {
class GraphWriter {
public:
  GraphWriter(const sched::Schedule &file, const sched::Program &program)
      : file_(file), program_(program),
        variant_(*program.variants()->Get(program.variants()->size() - 1)) {
    graphs_ = document_.append_child("graphs");
    setAttribute(graphs_, "version", 1);
  }

  llvm::Error write(GraphId id, std::vector<Order> orders);

  pugi::xml_document document_;
  std::vector<std::string> notes_;

private:
  const sched::Schedule &file_;
  const sched::Program &program_;
  const sched::Variant &variant_;
  pugi::xml_node graphs_;
};
} // namespace

llvm::Error GraphWriter::write(GraphId id, std::vector<Order> orders) {
  const char *what = id == kRing ? "rings" : "chains";
  double over = countChannels(orders);
  if (std::isinf(over))
    return makeError("{0} {1}; NCCL has {2} channels at most: compile with "
                     "--max-trees {2}",
                     orders.size(), what, kMostChannels);
  int channels = 0;
  double load = 0;
  for (const Order &order : orders) {
    channels += order.channels;
    load += order.load;
  }
  // Fast links get more channels of each order.
  const double fastest = program_.algbw() * load / channels;
  const int times = std::max(
      1, std::min(kMostChannels / channels,
                  static_cast<int>(std::ceil(fastest / kChannelRate - kSame))));
  channels *= times;
  if (over > kSame)
    notes_.push_back(
        llvm::formatv("NCCL's channels are equally fast: with {0} {1} the one "
                      "that has most to do has {2:f1} % more than its share",
                      channels, what, over * 100));
  pugi::xml_node graph = graphs_.append_child("graph");
  const double speed = program_.algbw() * load / channels / (1 + over);
  const char *type = pathType(*file_.topology(), variant_);
  setAttribute(graph, "id", static_cast<int>(id));
  setAttribute(graph, "pattern", id == kRing ? 4 : 1);
  setAttribute(graph, "crossnic", 0);
  setAttribute(graph, "nchannels", channels);
  setAttribute(graph, "speedintra", readable(speed));
  setAttribute(graph, "speedinter", readable(speed));
  setAttribute(graph, "latencyinter", 0);
  setAttribute(graph, "typeintra", type);
  setAttribute(graph, "typeinter", type);
  setAttribute(graph, "samechannels", orders.size() == 1 ? 1 : 0);
  for (const Order &order : orders)
    for (int i = 0; i < order.channels * times; ++i) {
      pugi::xml_node channel = graph.append_child("channel");
      for (int rank : order.ranks)
        setAttribute(channel.append_child("gpu"), "dev",
                     static_cast<int>(program_.allocation()->Get(rank)));
    }
  return llvm::Error::success();
}

static llvm::Error refuseProgram(const sched::Program &program) {
  const sched::CollectiveTraits &traits = sched::traitsOf(program.collective());
  std::string name = toString(program.collective()).str();
  if (traits.routed)
    return makeError("{0}: NCCL sends it from rank to rank, with no graph",
                     name);
  if (program.allocation()->size() < 2)
    return makeError("{0} of one rank: there is nothing to send", name);
  if (program.relays() && program.relays()->size() > 0)
    return makeError("the schedule has relays; NCCL has none. Compile it "
                     "without --relays");
  for (const sched::Variant *variant : *program.variants())
    for (const sched::Channel *channel : *variant->channels())
      if (channel->kind() == sched::ChannelKind::network)
        return makeError("the schedule is of several servers; NCCL joins "
                         "graphs of single ones by itself, so export one of a "
                         "server");
  return llvm::Error::success();
}

llvm::Expected<ExportedFile>
blink::exportNcclGraph(const sched::Schedule &file,
                       const sched::Program &program) {
  if (llvm::Error error = refuseProgram(program))
    return error;
  const sched::Variant &variant =
      *program.variants()->Get(program.variants()->size() - 1);
  llvm::Expected<std::vector<Chain>> chains = chainsOf(program, variant);
  if (!chains)
    return chains.takeError();
  const sched::CollectiveTraits &traits = sched::traitsOf(program.collective());
  const bool isAllreduce = traits.up && traits.down;
  llvm::Expected<std::vector<Order>> rings =
      traits.rooted ? rootedRings(*chains) : ringsOf(*chains);
  if (!rings && !isAllreduce)
    return makeError("{0}. MSCCL++ has such trees: --format mscclpp",
                     llvm::toString(rings.takeError()));

  GraphWriter writer(file, program);
  writer.notes_ = plainNotes(program);
  if (!rings)
    writer.notes_.push_back(llvm::toString(rings.takeError()) +
                            ": NCCL makes its own");
  else if (llvm::Error error = writer.write(kRing, *rings))
    return error;
  if (isAllreduce) {
    std::vector<Order> orders;
    for (const Chain &chain : *chains)
      orders.push_back({chain.ranks, chain.share});
    if (llvm::Error error = writer.write(kTree, orders))
      return error;
  }
  return ExportedFile{xmlText(writer.document_), std::move(writer.notes_)};
}
