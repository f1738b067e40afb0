//===- MscclppBlock.h - a thread block of an MSCCL++ plan -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Operations as MSCCL++'s executor reads them. The executor synchronizes the
// threads of a block between two operations only at a sync(). In particular it
// does not do so after wait() or before signal().
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_EXPORT_MSCCLPPBLOCK_H
#define BLINK_COMPILER_EXPORT_MSCCLPPBLOCK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace blink {

/// A range of chunks in a buffer of a rank: input 'i', output 'o' or scratch
/// 's'.
struct ChunkRange {
  int rank;
  char buffer;
  unsigned first, count;

  bool operator==(const ChunkRange &other) const {
    return rank == other.rank && buffer == other.buffer &&
           first == other.first && count == other.count;
  }
};

/// The remote buffers that a rank writes, numbered in the order of first use.
class RemoteBuffers {
public:
  int idOf(int rank, char buffer);
  /// Returns the JSON of `gpus[].remote_buffers`.
  std::string text() const;

private:
  std::map<std::pair<int, char>, int> ids_;
  std::vector<std::pair<int, char>> buffers_;
};

class MscclppBlock {
public:
  /// Limits of a thread block of the executor.
  static constexpr size_t kMostOperations = 64;
  static constexpr size_t kMostChannels = 16;
  static constexpr size_t kMostBuffers = 16;

  explicit MscclppBlock(RemoteBuffers &buffers) : buffers_(&buffers) {}

  /// `channels` are indices into the rank's list of channels.
  void signal(llvm::ArrayRef<int> channels) { onChannels("signal", channels); }
  void wait(llvm::ArrayRef<int> channels) { onChannels("wait", channels); }
  void sync();
  /// Copies within the rank's memory.
  void copy(const ChunkRange &from, const ChunkRange &to);
  /// Copies from the rank's memory to that of other ranks.
  void put(const ChunkRange &from, llvm::ArrayRef<ChunkRange> to);
  /// Writes the sum of `from`, added in this order, to all of `to`. The sources
  /// and the first destination are in the rank's memory; that destination may
  /// be one of the sources.
  void reduce(llvm::ArrayRef<ChunkRange> from, llvm::ArrayRef<ChunkRange> to);
  /// The executor runs all operations up to endPipeline() on the first
  /// `unitBytes` of each range, then on the next, and so on to the end. All
  /// ranges have `count` chunks.
  void beginPipeline(unsigned unitBytes, unsigned count);
  void endPipeline();

  size_t numChannels() const { return channels_.size(); }
  size_t numBuffers() const { return used_.size(); }
  /// Counts the operations in pipelines and the pipelines themselves.
  size_t numOperations() const { return numOperations_; }
  bool hasChannel(int channel) const;
  /// Returns the JSON of `gpus[].threadblocks`.
  std::string text(int id) const;

private:
  void onChannels(const char *name, llvm::ArrayRef<int> channels);
  void add(llvm::json::Object operation);
  llvm::json::Value remote(const ChunkRange &range);
  void reduceOnce(llvm::ArrayRef<ChunkRange> from,
                  llvm::ArrayRef<ChunkRange> to);

  RemoteBuffers *buffers_;
  std::vector<int> channels_; // of the rank, by index in the block
  std::vector<int> used_;     // remote buffers, by index in the block
  llvm::json::Array operations_;
  llvm::json::Array pipeline_; // the operations of an open pipeline
  llvm::json::Object context_;
  bool isOpen_ = false;
  size_t numOperations_ = 0;
};

} // namespace blink

#endif // BLINK_COMPILER_EXPORT_MSCCLPPBLOCK_H
