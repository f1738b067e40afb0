//===- Rival.h - how a collective of a rival is timed -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What the programs of tools/bench-cluster share, so that they measure the same
// as blink-perf: a first call, every element of which is checked, and calls to
// warm up. Then the time of a number of calls between two barriers, on the rank
// for which it was longest, and the processor time of all ranks.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BENCHCLUSTER_RIVAL_H
#define BLINK_TOOLS_BENCHCLUSTER_RIVAL_H

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace blink::rival {

enum class Collective { allreduce, broadcast, allgather };

/// One rank's view of a collective of float32.
class Rival {
public:
  virtual ~Rival() = default;

  int rank = 0, ranks = 0;
  Collective collective = Collective::allreduce;
  /// Elements of the whole buffer; in an allgather each rank contributes
  /// `part`.
  size_t count = 0, part = 0;
  std::vector<float> send, recv;

  virtual void call() = 0;
  virtual void barrier() = 0;
  virtual double largest(double mine) = 0; ///< over all ranks
  virtual double sum(double mine) = 0;

  /// Measures all `sizes`, each "BYTES:WARMUP:CALLS". Prints "result BYTES
  /// SECONDS CPU" on rank 0. Throws std::runtime_error.
  void run(const std::string &name, const std::vector<std::string> &sizes) {
    collective = collectiveOf(name);
    for (const std::string &text : sizes) {
      unsigned long long bytes = 0;
      int warmup = 0, calls = 0;
      if (std::sscanf(text.c_str(), "%llu:%d:%d", &bytes, &warmup, &calls) != 3)
        throw std::runtime_error(text + ": expected BYTES:WARMUP:CALLS");
      measure(bytes, warmup, calls);
    }
  }

private:
  static Collective collectiveOf(const std::string &name) {
    if (name == "allreduce")
      return Collective::allreduce;
    if (name == "broadcast")
      return Collective::broadcast;
    if (name == "allgather")
      return Collective::allgather;
    throw std::runtime_error(name + ": no such collective");
  }

  static double now() {
    return std::chrono::duration<double>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  static double cpuNow() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  }

  /// Returns a small whole number, so that sums are exact in any order.
  static float value(int rank, size_t i) {
    return float((i * 7 + (i >> 8) * 3 + size_t(rank) * 13) % 101);
  }

  void fill() {
    send.assign(collective == Collective::allgather ? part : count, 0);
    recv.assign(count, -1);
    for (size_t i = 0; i < send.size(); ++i)
      send[i] = value(rank, i);
    if (collective == Collective::broadcast && rank == 0)
      recv = send;
  }

  float right(size_t i) const {
    if (collective == Collective::broadcast)
      return value(0, i);
    if (collective == Collective::allgather)
      return value(int(i / part), i % part);
    float sum = 0;
    for (int r = 0; r < ranks; ++r)
      sum += value(r, i);
    return sum;
  }

  void measure(size_t bytes, int warmup, int calls) {
    part = bytes / sizeof(float) / size_t(ranks);
    count = collective == Collective::allgather ? part * size_t(ranks)
                                                : bytes / sizeof(float);
    fill();
    barrier();
    call();
    for (size_t i = 0; i < count; ++i)
      if (recv[i] != right(i))
        throw std::runtime_error("rank " + std::to_string(rank) + ", " +
                                 std::to_string(bytes) + " bytes: element " +
                                 std::to_string(i) + " is wrong");
    for (int i = 0; i < warmup; ++i)
      call();
    barrier();
    const double begin = now(), cpu = cpuNow();
    for (int i = 0; i < calls; ++i)
      call();
    const double mine = now() - begin, cpuMine = cpuNow() - cpu;
    const double seconds = largest(mine), cpuAll = sum(cpuMine);
    if (rank == 0) {
      std::printf("result %zu %.9f %.9f\n", bytes, seconds / calls,
                  cpuAll / calls);
      std::fflush(stdout);
    }
  }
};

} // namespace blink::rival

#endif // BLINK_TOOLS_BENCHCLUSTER_RIVAL_H
