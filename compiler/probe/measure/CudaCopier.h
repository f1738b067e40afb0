//===- CudaCopier.h - copies by GPUs ----------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PROBE_MEASURE_CUDACOPIER_H
#define BLINK_COMPILER_PROBE_MEASURE_CUDACOPIER_H

#include "compiler/import/Inventory.h"
#include "compiler/probe/measure/Copier.h"
#include "compiler/probe/measure/CudaDriver.h"

#include <map>
#include <memory>

namespace blink {

/// Copies with the copy engines of NVIDIA's GPUs, timed by events on the GPUs.
/// All copies of a call are queued behind some earlier copies and begin when
/// these end, by which time the queues are complete.
class CudaCopier : public Copier {
public:
  /// Creates a copier for the GPUs of `inventory`, in the machine's order.
  /// `memories`: the processors of each NUMA node by number; nodes on which
  /// this process may not run have no memory for it. GPUs that CUDA hides from
  /// this process are warnings. Errors: CUDA has no driver here, shows none of
  /// the GPUs, or a call fails.
  static llvm::Expected<std::unique_ptr<CudaCopier>>
  create(Inventory &inventory, const std::map<int, std::vector<int>> &memories);
  ~CudaCopier() override;
  CudaCopier(const CudaCopier &) = delete;

  std::string describe() const override { return description_; }
  size_t blockBytes() const override { return 64 << 20; }
  bool canCopy(Place from, Place to) override;
  llvm::Expected<std::vector<std::vector<double>>>
  copy(llvm::ArrayRef<CopyWork> works) override;

private:
  struct Gpu {
    int number = 0; ///< in the inventory
    cuda::Device device = 0;
    cuda::Context context = nullptr; ///< null: CUDA does not have this GPU
    cuda::Address out = 0, in = 0;   ///< a block each
    // Created on demand and kept.
    std::vector<cuda::Stream> streams = {};
    std::vector<cuda::Event> events = {};
    // In use by the current copies.
    size_t streamsUsed = 0, eventsUsed = 0;
  };
  /// A work in its stream.
  struct Queue {
    Gpu *gpu;
    cuda::Stream stream;
    cuda::Event begin = nullptr;
    std::vector<cuda::Event> ends = {};
  };

  explicit CudaCopier(cuda::Driver driver) : driver_(driver) {}
  llvm::Error addGpu(Inventory &inventory, int number);
  llvm::Error addMemory(int node, const std::vector<int> &processors);
  llvm::Expected<Queue> queueOn(Gpu &gpu);
  llvm::Expected<cuda::Event> record(const Queue &queue);
  /// Makes the queues wait until all of them are filled with these works.
  llvm::Error holdBack(llvm::ArrayRef<Queue> queues,
                       llvm::ArrayRef<CopyWork> works);
  llvm::Error fill(Queue &queue, const CopyWork &work);
  llvm::Error enqueueCopy(const Queue &queue, const CopyWork &work);
  llvm::Error await(const Queue &queue);
  /// Returns the part of a NUMA node's memory for copies of this GPU.
  char *memoryFor(int node, int gpu);
  size_t memoryBlocks() const; ///< on each NUMA node

  cuda::Driver driver_;
  std::string description_;
  std::vector<Gpu> gpus_; ///< by number
  std::map<int, void *> memories_;
  bool isStuck_ = false; ///< a copy did not end: nothing can be freed
};

} // namespace blink

#endif // BLINK_COMPILER_PROBE_MEASURE_CUDACOPIER_H
