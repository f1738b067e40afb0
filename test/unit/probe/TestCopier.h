//===- TestCopier.h - copies with given rates -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_PROBE_TESTCOPIER_H
#define BLINK_TEST_UNIT_PROBE_TESTCOPIER_H

#include "compiler/probe/measure/Copier.h"

namespace blink::test {

/// Can copy anything. Each work runs at the next rate of a list, which repeats.
struct TestCopier : Copier {
  std::vector<double> rates = {10}; ///< GB/s
  size_t copies = 0;                ///< number of calls
  std::vector<int> blocks;          ///< of the first work of each call

  std::string describe() const override { return "a test"; }
  size_t blockBytes() const override { return 1000000; }
  bool canCopy(Place, Place) override { return true; }
  llvm::Expected<std::vector<std::vector<double>>>
  copy(llvm::ArrayRef<CopyWork> works) override {
    const double rate = rates[copies++ % rates.size()];
    blocks.push_back(works.front().blocks);
    std::vector<std::vector<double>> ends;
    for (const CopyWork &work : works) {
      ends.emplace_back();
      for (int block = 1; block <= work.blocks; ++block)
        ends.back().push_back(block * 1e6 / (rate * 1e9));
    }
    return ends;
  }
};

} // namespace blink::test

#endif // BLINK_TEST_UNIT_PROBE_TESTCOPIER_H
