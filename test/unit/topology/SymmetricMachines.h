//===- SymmetricMachines.h - random machines of equal GPUs ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_TOPOLOGY_SYMMETRICMACHINES_H
#define BLINK_TEST_UNIT_TOPOLOGY_SYMMETRICMACHINES_H

#include "test/unit/topology/TestTopology.h"

#include <random>

namespace blink::test {

/// Collectives whose ranks may all be alike.
inline constexpr Collective kUnrooted[] = {
    Collective::allreduce, Collective::allgather, Collective::reducescatter,
    Collective::alltoall};

/// GPUs that are all alike and have no links yet: a product of two cycles in
/// which GPU x * height + y is at (x, y).
class EqualGpus {
public:
  EqualGpus(std::minstd_rand &random, int width, int height)
      : random_(random), width_(width), height_(height) {
    machine.name = llvm::formatv("{0}x{1}", width, height);
    for (int gpu = 0; gpu < width * height; ++gpu)
      machine.nodes.push_back({"gpu" + std::to_string(gpu), NodeKind::gpu});
  }

  /// Joins each GPU with the one at this distance: one orbit of links, all with
  /// the same bandwidth, which is added to that of existing links.
  void join(int right, int down) {
    const double there = bandwidth(), back = bandwidth();
    for (int x = 0; x < width_; ++x)
      for (int y = 0; y < height_; ++y) {
        const int from = x * height_ + y;
        const int to = (x + right) % width_ * height_ + (y + down) % height_;
        if (from == to)
          continue;
        addLink(from, to, there);
        addLink(to, from, back);
      }
  }

  /// Gives each column of GPUs, or each GPU, a NIC on one network.
  void addNics(bool ofColumns) {
    const int network = add("network", NodeKind::nic);
    const double own = bandwidth(), shared = bandwidth();
    for (int x = 0; x < width_; ++x) {
      const int column =
          ofColumns ? add("nic" + std::to_string(x), NodeKind::nic) : network;
      for (int y = 0; y < height_; ++y)
        joinBoth(x * height_ + y, column, own);
      if (ofColumns)
        joinBoth(column, network, shared);
    }
  }

  Topology machine;

private:
  double bandwidth() { return 5. * double(1 + random_() % 6); }
  int add(const std::string &id, NodeKind kind) {
    machine.nodes.push_back({id, kind});
    return static_cast<int>(machine.nodes.size()) - 1;
  }
  void addLink(int from, int to, double bandwidth) {
    for (Link &link : machine.links)
      if (link.from == from && link.to == to) {
        link.bandwidth += bandwidth;
        return;
      }
    machine.links.push_back({from, to, bandwidth, 1, LinkKind::nvlink});
  }
  void joinBoth(int a, int b, double bandwidth) {
    machine.links.push_back({a, b, bandwidth, 2, LinkKind::network});
    machine.links.push_back({b, a, bandwidth, 2, LinkKind::network});
  }

  std::minstd_rand &random_;
  int width_, height_;
};

/// Returns a ring, a torus, a complete graph or a product of two of these, with
/// `least` to `most` GPUs, different bandwidths for each orbit of links, and
/// NICs or none.
inline Topology symmetricMachine(std::minstd_rand &random, int least,
                                 int most) {
  const int height = 1 + int(random() % 3);
  const int narrowest = (least + height - 1) / height;
  const int width =
      narrowest + int(random() % size_t(most / height - narrowest + 1));
  EqualGpus gpus(random, width, height);
  auto joinCircle = [&](int size, bool right) {
    const bool complete = random() % 2;
    for (int distance = 1; distance <= (complete ? size / 2 : 1); ++distance)
      if (size > 1)
        gpus.join(right ? distance : 0, right ? 0 : distance);
  };
  joinCircle(width, true);
  joinCircle(height, false);
  if (random() % 3 == 0)
    gpus.join(1, 1);
  if (random() % 2)
    gpus.addNics(random() % 2);
  return gpus.machine;
}

} // namespace blink::test

#endif // BLINK_TEST_UNIT_TOPOLOGY_SYMMETRICMACHINES_H
