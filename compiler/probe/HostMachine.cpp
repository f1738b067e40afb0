//===- HostMachine.cpp - a machine without a GPU --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/HostMachine.h"

#include "compiler/import/HostGraph.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

using namespace blink;

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

void blink::measureCores(Inventory &inventory) {
  for (NumaNode &node : inventory.numaNodes) {
    std::vector<int> cores = node.processors;
    if (cores.size() > kMostCores)
      cores.resize(kMostCores);
    node.coreRate = measureCopies(cores);
  }
}
