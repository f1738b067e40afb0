//===- CarriedRings.h - rings that a transport carries ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Each end of such a ring that is in this process has slots, tags and a word
// `freed` in pinned host memory. Lanes use them as those of a ring through the
// host whose other end is another GPU; here it is a proxy (Proxy.h):
//
//   writer's lane      proxy                           proxy      reader's lane
//   slot, tag   --->   sees the tag, post()  --->  slot, tag  --->  slot
//   freed       <---   freed             <---  credit(), sees   <---  freed
//
// Tags and `freed` are the only words that both sides use. Each has one writer,
// which stores it with release; who loads it does so with acquire. So a chunk's
// bytes are there for the proxy when it sees the tag, and a slot is read when
// it sees `freed`, and the other way round.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_CARRIEDRINGS_H
#define BLINK_RUNTIME_CUDA_CARRIEDRINGS_H

#include "runtime/core/Program.h"
#include "runtime/job/Arena.h"
#include "runtime/job/Carriers.h"

#include <atomic>
#include <deque>
#include <map>

namespace blink::runtime {

/// The chunks of a call that a rank of this process sends through a ring, or
/// receives.
struct CarriedChunks {
  uint32_t ring = 0;
  bool writes = false; ///< sends them
  uint64_t count = 0;
  // Writers: where they are, and what they are.
  ElementRange range{};              ///< of the tree
  uint32_t elementBytes = 0;         ///< of an element
  uint32_t sentBytes = 0;            ///< of an element on its way
  uint32_t chunkBytes = 0;           ///< of the tree's chunks
  uint32_t slots = 0, slotBytes = 0; ///< as of DeviceChannel
  ChannelPace pace;
  uint64_t signature = 0; ///< of tags
};

/// The rings of Plan::rings that are `apart`, with their transports.
class CarriedRings final : public TransportClient {
public:
  /// What a lane uses of its end.
  struct Memory {
    char *slots = nullptr;
    uint64_t *full = nullptr;
    uint64_t *freed = nullptr;
  };

  /// Makes the transports and the memory of the ends of ranks that are `here`,
  /// by way of the current device. `plan` outlives it. Errors: memory; of
  /// transports; channels of a protocol that no transport carries.
  Status create(const Plan &plan, const std::vector<bool> &here);
  /// Of an end that is here.
  const Memory &at(uint32_t ring, bool writer) const {
    return ends_.at({ring, writer}).memory;
  }
  /// Pinned for the ends of `rank`.
  uint64_t bytesOf(int rank) const;

  // For the proxy, one thread.

  /// A lane is about to have these chunks, behind those of the calls before.
  void begin(const CarriedChunks &chunks);
  /// Posts what lanes have written, and gives credit for what they have read.
  /// Whether there was anything.
  bool carry();
  /// Whether lanes have chunks to write that have not been posted.
  bool isPosting() const;
  /// Whether all that has been posted is on its way.
  bool flushed() const;
  /// Whether a lane may be waiting for the other end.
  bool isBusy() const;
  /// Success, or of a ring that is broken and whose end here cannot go on
  /// without the other one, why, and for what it waits: "...; rank 0: no chunk
  /// from rank 3: expected 5 written, seen 4".
  Status failure() const;

  char *placeFor(const ChunkMessage &message) override;
  void arrived(const ChunkMessage &message) override;
  void freed(uint32_t ring, uint64_t number) override;
  void broken(uint32_t ring, const std::string &why) override;
  void note(int rank, bool warning, const std::string &text) override;

private:
  struct End {
    Memory memory;
    std::deque<CarriedChunks> calls; ///< writers: not all posted
    uint64_t posted = 0;             ///< writers: of the first of them
    uint64_t next = 0;     ///< the chunk to post, or to give credit for
    uint64_t expected = 0; ///< chunks of all calls that have begun
    /// Readers: chunks that have come. Relaxed: it is for messages.
    std::atomic<uint64_t> numArrived{0};
  };
  using Key = std::pair<uint32_t, bool>; ///< ring, writer

  void layout(Arena &arena);
  bool postFrom(uint32_t ring, End &end);
  bool creditFrom(uint32_t ring, End &end);
  std::string needOf(const RingPlan &ring, bool writer, const End &end) const;

  const Plan *plan_ = nullptr;
  std::shared_ptr<char> pinned_; ///< of all ends
  std::map<Key, End> ends_;      ///< those that are here; fixed after create()

public:
  /// Behind the memory, which transports use until their end.
  Carriers carriers;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_CARRIEDRINGS_H
