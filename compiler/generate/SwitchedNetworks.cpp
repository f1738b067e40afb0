//===- SwitchedNetworks.cpp - GPUs behind switches ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Fat tree, BCube, dragonfly, pod.
//
//===----------------------------------------------------------------------===//

#include "compiler/generate/TopologyBuilder.h"
#include "schedules/MachineLimits.h"

#include <cmath>

using namespace blink;
using llvm::Error;
using llvm::Expected;

/// Returns "core3", or with several numbers "edge1.0".
template <typename... Numbers>
static std::string idOf(const char *word, int first, Numbers... rest) {
  std::string id = word + std::to_string(first);
  ((id += "." + std::to_string(rest)), ...);
  return id;
}

Expected<Topology> blink::generateFatTree(int k, double oversubscription,
                                          const Wire &wire) {
  if (k < 2 || k % 2 != 0)
    return makeError("a {0}-ary fat tree: expected an even number of 2 and "
                     "more",
                     k);
  if (!(oversubscription >= 1) || std::isinf(oversubscription))
    return makeError("oversubscription {0}: expected 1 or more",
                     oversubscription);
  if (Error error = checkGpus(std::pow(k, 3) / 4))
    return error;
  int half = k / 2;
  TopologyBuilder builder("fat-tree-" + std::to_string(k), k * half * half);
  std::vector<int> cores;
  for (int core = 0; core < half * half; ++core)
    cores.push_back(builder.addSwitch(wire, idOf("core", core)));
  Wire up = wire;
  up.bandwidth /= oversubscription;
  if (!sched::isBandwidth(up.bandwidth))
    return makeError("oversubscription {0}: leaves links of {1} GB/s; expected "
                     "{2} to {3}",
                     oversubscription, up.bandwidth, sched::kLeastBandwidth,
                     sched::kMostBandwidth);
  for (int pod = 0; pod < k; ++pod) {
    std::vector<int> aggregations;
    for (int a = 0; a < half; ++a) {
      aggregations.push_back(builder.addSwitch(wire, idOf("agg", pod, a)));
      for (int core = 0; core < half; ++core)
        builder.join(aggregations.back(), cores[a * half + core], up);
    }
    for (int e = 0; e < half; ++e) {
      int edge = builder.addSwitch(wire, idOf("edge", pod, e));
      for (int aggregation : aggregations)
        builder.join(edge, aggregation, up);
      for (int gpu = 0; gpu < half; ++gpu)
        builder.join((pod * half + e) * half + gpu, edge, wire);
    }
  }
  return builder.take(llvm::formatv("{0}-ary fat tree, oversubscribed {1} to 1",
                                    k, oversubscription));
}

Expected<Topology> blink::generateBCube(int n, int k, const Wire &wire) {
  if (n < 2 || k < 0 || k > 12)
    return makeError("BCube({0}, {1}): expected n of 2 and more, k of 0 to "
                     "12",
                     n, k);
  if (Error error = checkGpus(std::pow(n, k + 1)))
    return error;
  int gpus = 1;
  for (int level = 0; level <= k; ++level)
    gpus *= n;
  TopologyBuilder builder(llvm::formatv("bcube-{0}-{1}", n, k), gpus);
  for (int level = 0, stride = 1; level <= k; ++level, stride *= n)
    for (int index = 0; index < gpus / n; ++index) {
      int at = builder.addSwitch(wire, idOf("switch", level, index));
      // The switch's number, written in base n, is its GPUs' number without
      // digit `level`.
      int first = index / stride * stride * n + index % stride;
      for (int port = 0; port < n; ++port)
        builder.join(first + port * stride, at, wire);
    }
  return builder.take(llvm::formatv("BCube({0}, {1})", n, k));
}

Expected<Topology> blink::generateDragonfly(int groups, int routers, int gpus,
                                            double globalBandwidth,
                                            const Wire &wire) {
  if (groups < 1 || routers < 1 || gpus < 1)
    return makeError("a dragonfly of {0} groups of {1} routers of {2} GPUs: "
                     "expected one and more of each",
                     groups, routers, gpus);
  if (Error error = checkGpus(double(groups) * routers * gpus))
    return error;
  const double inGroups =
      double(groups) * routers * ((routers - 1) / 2.0 + gpus);
  if (Error error =
          checkLinks(2 * (inGroups + double(groups) * (groups - 1) / 2)))
    return error;
  TopologyBuilder builder(
      llvm::formatv("dragonfly-{0}-{1}-{2}", groups, routers, gpus),
      groups * routers * gpus);
  std::vector<std::vector<int>> of(groups);
  for (int group = 0; group < groups; ++group)
    for (int router = 0; router < routers; ++router) {
      int at = builder.addSwitch(wire, idOf("router", group, router));
      for (int other : of[group])
        builder.join(other, at, wire);
      for (int gpu = 0; gpu < gpus; ++gpu)
        builder.join((group * routers + router) * gpus + gpu, at, wire);
      of[group].push_back(at);
    }
  Wire global = wire;
  global.bandwidth = globalBandwidth;
  for (int a = 0; a < groups; ++a)
    for (int b = a + 1; b < groups; ++b)
      builder.join(of[a][(b - 1) % routers], of[b][a % routers], global);
  return builder.take(
      llvm::formatv("dragonfly: {0} groups of {1} routers with {2} GPUs each",
                    groups, routers, gpus));
}

Expected<Topology> blink::generatePod(const Topology &machine, int boxes,
                                      int rails, const Wire &nic) {
  int gpus = static_cast<int>(machine.gpus().size());
  if (boxes < 1)
    return makeError("{0} boxes: expected 1 and more", boxes);
  if (rails < 1 || rails > std::max(gpus, 1))
    return makeError("{0} rails: expected 1 to {1}, one a GPU of a box", rails,
                     gpus);
  if (Error error = checkGpus(double(boxes) * gpus))
    return error;
  TopologyBuilder builder(llvm::formatv("{0}-x{1}", machine.name, boxes),
                          /*gpus=*/0);
  int size = static_cast<int>(machine.nodes.size());
  for (int box = 0; box < boxes; ++box)
    for (const Node &node : machine.nodes)
      builder.addNode(node, llvm::formatv("box{0}.{1}", box, node.id));
  std::vector<int> railNodes;
  for (int rail = 0; rail < rails; ++rail)
    railNodes.push_back(builder.addSwitch(nic, idOf("rail", rail)));
  std::vector<int> gpuNodes = machine.gpus();
  for (int box = 0; box < boxes; ++box) {
    for (const Link &link : machine.links)
      builder.addArc(box * size + link.from, box * size + link.to,
                     {link.bandwidth, link.latency, link.kind});
    for (int gpu = 0; gpu < gpus; ++gpu)
      builder.join(box * size + gpuNodes[gpu], railNodes[gpu % rails], nic);
  }
  return builder.take(llvm::formatv("{0} x {1}, {2} GB/s a GPU to the network, "
                                    "{3} {4}",
                                    boxes, machine.name, nic.bandwidth, rails,
                                    rails == 1 ? "rail" : "rails"));
}
