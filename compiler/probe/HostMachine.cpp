//===- HostMachine.cpp - a machine without a GPU --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/HostMachine.h"

#include "compiler/import/HostGraph.h"
#include "compiler/probe/measure/HostCopier.h"
#include "compiler/probe/measure/Sampling.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace blink;

/// Returns the GB/s that each of these processors copies while all of them do:
/// the rate of the slowest one, in the best of several rounds. 0 if this
/// process may not run on them.
static double copyRate(const std::vector<int> &processors) {
  constexpr int kRounds = 2, kBlocks = 4, kHere = 0;
  HostCopier copier(processors, {{kHere, processors}});
  std::vector<CopyWork> works;
  for (size_t core = 0; core < processors.size(); ++core) {
    works.push_back(
        {{Place::gpu, static_cast<int>(core)}, {Place::numa, kHere}, kBlocks});
    if (!copier.canCopy(works.back().from, works.back().to))
      return 0;
  }
  double best = 0;
  for (int round = 0; round < kRounds && !works.empty(); ++round) {
    auto ends = copier.copy(works);
    if (!ends) {
      llvm::consumeError(ends.takeError());
      return 0;
    }
    std::vector<double> rates = ratesTogether(*ends, copier.blockBytes());
    best = std::max(best, *llvm::min_element(rates));
  }
  // Measurements do not repeat to a tenth of a GB/s.
  return std::round(best * 10) / 10;
}

void blink::measureCores(Inventory &inventory) {
  for (const HostCores &of : hostCores(inventory))
    inventory.numaNodes[of.numaNode].coreRate = copyRate(of.processors);
}
