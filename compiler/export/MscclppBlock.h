//===- MscclppBlock.h - a thread block of an MSCCL++ plan -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Operations as MSCCL++'s executor reads them. Its threads do not wait for each
// other between two operations unless sync() stands there: not behind wait(),
// nor before signal().
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

/// Some chunks of a buffer of a rank: its input 'i', output 'o' or scratch 's'.
struct ChunkRange {
  int rank;
  char buffer;
  unsigned first, count;

  bool operator==(const ChunkRange &other) const {
    return rank == other.rank && buffer == other.buffer &&
           first == other.first && count == other.count;
  }
};

/// The buffers of others that a rank writes, numbered as it first does.
class RemoteBuffers {
public:
  int idOf(int rank, char buffer);
  /// JSON, as in `gpus[].remote_buffers`.
  std::string text() const;

private:
  std::map<std::pair<int, char>, int> ids_;
  std::vector<std::pair<int, char>> buffers_;
};

class MscclppBlock {
public:
  /// What a thread block of the executor holds.
  static constexpr size_t kMostOperations = 64;
  static constexpr size_t kMostChannels = 16;
  static constexpr size_t kMostBuffers = 16;

  explicit MscclppBlock(RemoteBuffers &buffers) : buffers_(&buffers) {}

  /// Channels are numbers in the rank's list of them.
  void signal(llvm::ArrayRef<int> channels) { onChannels("signal", channels); }
  void wait(llvm::ArrayRef<int> channels) { onChannels("wait", channels); }
  void sync();
  /// Own memory to own memory.
  void copy(const ChunkRange &from, const ChunkRange &to);
  /// Own memory to that of others.
  void put(const ChunkRange &from, llvm::ArrayRef<ChunkRange> to);
  /// The sum of `from`, which is own memory, in this order, to `to`, the first
  /// of which is own memory, too, and may be one of `from`.
  void reduce(llvm::ArrayRef<ChunkRange> from, llvm::ArrayRef<ChunkRange> to);
  /// What comes until endPipeline() is done on `unitBytes` of each range, then
  /// on the next, to the end. All ranges have `count` chunks.
  void beginPipeline(unsigned unitBytes, unsigned count);
  void endPipeline();

  size_t numChannels() const { return channels_.size(); }
  size_t numBuffers() const { return used_.size(); }
  /// With those of pipelines, which count, too.
  size_t numOperations() const { return numOperations_; }
  bool hasChannel(int channel) const;
  /// JSON, as in `gpus[].threadblocks`.
  std::string text(int id) const;

private:
  void onChannels(const char *name, llvm::ArrayRef<int> channels);
  void add(llvm::json::Object operation);
  llvm::json::Value remote(const ChunkRange &range);
  void reduceOnce(llvm::ArrayRef<ChunkRange> from,
                  llvm::ArrayRef<ChunkRange> to);

  RemoteBuffers *buffers_;
  std::vector<int> channels_; // of the rank, by number in the block
  std::vector<int> used_;     // likewise, remote buffers
  llvm::json::Array operations_;
  llvm::json::Array pipeline_; // the operations of the open one
  llvm::json::Object context_;
  bool isOpen_ = false;
  size_t numOperations_ = 0;
};

} // namespace blink

#endif // BLINK_COMPILER_EXPORT_MSCCLPPBLOCK_H
