//===- HostCopier.h - copies by cores ---------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PROBE_MEASURE_HOSTCOPIER_H
#define BLINK_COMPILER_PROBE_MEASURE_HOSTCOPIER_H

#include "compiler/probe/measure/Copier.h"

#include <map>

namespace blink {

/// Copies as ranks of the host back end do: one pinned thread per core copies
/// from memory of its own NUMA node into that of `to`.
class HostCopier : public Copier {
public:
  /// `cores`: the processor of each core; `memories`: the processors of each
  /// NUMA node by number.
  HostCopier(std::vector<int> cores, std::map<int, std::vector<int>> memories)
      : cores_(std::move(cores)), memories_(std::move(memories)) {}

  std::string describe() const override { return "cores of this machine"; }
  size_t blockBytes() const override { return 32 << 20; } // more than caches
  bool canCopy(Place from, Place to) override;
  llvm::Expected<std::vector<std::vector<double>>>
  copy(llvm::ArrayRef<CopyWork> works) override;

private:
  using Key = std::pair<int, int>;
  /// Allocates the buffers of these works and frees all others. Memory is on
  /// the node of the thread that touches it first.
  void prepare(llvm::ArrayRef<CopyWork> works);

  std::vector<int> cores_;
  std::map<int, std::vector<int>> memories_;
  /// By core, and by the NUMA node to write to, or -1 for the source.
  std::map<Key, std::vector<char>> buffers_;
};

/// Restricts this thread to these processors; returns whether that worked.
bool pinTo(const std::vector<int> &processors);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_MEASURE_HOSTCOPIER_H
