//===- HostMachine.cpp - a machine without a GPU --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/HostMachine.h"

#include "compiler/probe/SystemFiles.h"
#include "compiler/support/Error.h"

#include "llvm/Support/MemoryBuffer.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

using namespace blink;

static constexpr int kMostCores = 4;
static constexpr double kPlannedRate = 10; // GB/s of a core

double blink::measureCopies(const std::vector<int> &processors) {
  using Clock = std::chrono::steady_clock;
  constexpr size_t kBytes = 32 << 20; // more than a core's caches
  constexpr int kRounds = 8;
  std::atomic<int> ready{0};
  std::vector<double> best(processors.size());
  auto copy = [&](size_t index) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processors[index], &set);
    bool pinned = sched_setaffinity(0, sizeof set, &set) == 0;
    // Touched first by who uses them: they are the node's own memory.
    std::vector<char> from(pinned ? kBytes : 0, 1), to(pinned ? kBytes : 0, 2);
    ready.fetch_add(1);
    while (ready.load() < static_cast<int>(processors.size()))
      std::this_thread::yield();
    for (int round = 0; round < kRounds && pinned; ++round) {
      Clock::time_point begin = Clock::now();
      std::memcpy(to.data(), from.data(), kBytes);
      double seconds =
          std::chrono::duration<double>(Clock::now() - begin).count();
      from[round] = to[kBytes - 1 - round]; // so that the copy is needed
      best[index] = std::max(best[index], kBytes / seconds / 1e9);
    }
  };
  std::vector<std::thread> threads;
  for (size_t index = 0; index < processors.size(); ++index)
    threads.emplace_back(copy, index);
  for (std::thread &thread : threads)
    thread.join();
  // A tenth of a GB/s is more than measurements repeat.
  return best.empty()
             ? 0
             : std::round(*std::min_element(best.begin(), best.end()) * 10) /
                   10;
}

/// The processors of a NUMA node that this process may use.
static std::vector<int> processorsOf(llvm::StringRef sysfs, int node) {
  auto file = llvm::MemoryBuffer::getFileAsStream(
      sysfs + "/devices/system/node/node" + llvm::Twine(node) + "/cpulist");
  std::vector<int> processors =
      file ? parseCpuList((*file)->getBuffer()) : std::vector<int>{0};
  return processors;
}

llvm::Expected<Topology> blink::hostMachine(llvm::StringRef sysfs,
                                            Inventory &inventory,
                                            RateSource source) {
  Topology topology;
  topology.name = inventory.name;
  auto addNode = [&](const std::string &id, NodeKind kind) {
    topology.nodes.push_back({id, kind});
    return static_cast<int>(topology.nodes.size()) - 1;
  };
  auto join = [&](int a, int b, double bandwidth, double latency) {
    topology.links.push_back({a, b, bandwidth, latency, LinkKind::host});
    topology.links.push_back({b, a, bandwidth, latency, LinkKind::host});
  };
  constexpr double kCoreLatency = 0.2;

  std::vector<std::vector<int>> cores;
  int ranks = 0;
  for (const NumaNode &node : inventory.numaNodes) {
    cores.push_back(processorsOf(sysfs, node.id));
    if (cores.back().size() > kMostCores)
      cores.back().resize(kMostCores);
    for (size_t core = 0; core < cores.back().size(); ++core)
      addNode("core" + std::to_string(ranks++), NodeKind::gpu);
  }
  if (ranks == 0)
    return makeError(sysfs + ": error: no processor in devices/system/node");
  int rank = 0;
  std::vector<int> nodes;
  for (size_t i = 0; i < cores.size(); ++i) {
    int id = inventory.numaNodes[i].id;
    int node = addNode("cpu" + std::to_string(id), NodeKind::cpu);
    double rate = sysfs == "/sys" ? measureCopies(cores[i]) : 0;
    std::string where =
        (sysfs + "/devices/system/node/node" + llvm::Twine(id)).str();
    if (rate > 0)
      inventory.notes.guess(
          where, readable(rate) + " GB/s a core: measured, while " +
                     llvm::Twine(cores[i].size()) + " cores copied at once");
    else
      inventory.notes.guess(where, readable(rate = kPlannedRate) +
                                       " GB/s a core: a planning figure");
    for (size_t core = 0; core < cores[i].size(); ++core)
      join(rank++, node, rate, kCoreLatency);
    for (int other : nodes) {
      HostRate between = hostRate(inventory.numaNodes[i].cpu, source);
      join(other, node, between.bandwidth, kHostLatency);
    }
    nodes.push_back(node);
  }
  topology.description = "No GPU: " + std::to_string(ranks) +
                         " ranks on the cores of " +
                         std::to_string(cores.size()) + " NUMA nodes";
  return topology;
}
