//===- Worker.h - drives some ranks through all cases -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_WORKER_H
#define BLINK_TOOLS_BLINKPERF_WORKER_H

#include "tools/blink-perf/Buffers.h"
#include "tools/blink-perf/Shared.h"

#include <memory>

namespace blink::perf {

/// A thread, in this process or in one of its own, and the ranks it drives:
/// comms.size() ranks from `firstRank` on. Several ranks are driven as a group.
class Worker {
public:
  Worker(const Options &options, const std::vector<Case> &cases,
         Backend &backend, Shared &shared, int firstRank,
         std::vector<blinkComm_t> comms);

  /// Measures every case, together with the workers of the other ranks. Reports
  /// a failure to `shared`.
  void run();

private:
  void measure(size_t index, bool inPlace);
  uint64_t check(const Case &c, bool inPlace, uint64_t seed);
  double time(const Case &c, bool inPlace);
  int iterationsOf(const Case &c) const;
  void iterate(const Case &c, bool inPlace, int times);
  blinkResult_t call(size_t which, const Case &c, bool inPlace);
  void wait(const Case &c, bool inPlace);
  void meet(double *seconds = nullptr);
  template <typename Function> void forEachRank(Function function);

  const Options &options_;
  const std::vector<Case> &cases_;
  Backend &backend_;
  Shared &shared_;
  int firstRank_;
  std::vector<blinkComm_t> comms_;
  std::vector<std::unique_ptr<Buffers>> buffers_;
};

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_WORKER_H
