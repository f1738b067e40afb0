//===- CarriedRings.h - rings that a transport carries ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Each end of such a ring that is in this process has slots, tags and a word
// `freed` in pinned host memory. Lanes use them like those of a ring through
// the host whose other end is another GPU. Here the other end is a proxy
// (Proxy.h):
//
//   writer's lane      proxy                           proxy      reader's lane
//   slot, tag   --->   sees the tag, post()  --->  slot, tag  --->  slot
//   freed       <---   freed             <---  credit(), sees   <---  freed
//
// Tags and `freed` are the only words that a lane and the proxy share. Each has
// one writer, which stores it with release; the other side loads it with
// acquire. So a chunk's bytes are visible to the proxy once it sees the tag,
// and the lane has finished reading a slot once the proxy sees `freed`. The
// same holds from the proxy to the lane.
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

/// The chunks that one call moves through one ring at an end that is in this
/// process.
struct CarriedChunks {
  uint32_t ring = 0;
  /// True: this end sends the chunks; false: it receives them.
  bool writes = false;
  uint64_t count = 0;
  // For writers: where the chunks are in the ring, and how they are cut.
  ElementRange range{};      ///< elements of the tree
  uint32_t elementBytes = 0; ///< bytes of an element of the call's type
  /// Bytes of an element while it travels: an element of a partial sum may be
  /// wider.
  uint32_t sentBytes = 0;
  uint32_t chunkBytes = 0;           ///< bytes of a chunk of the tree
  uint32_t slots = 0, slotBytes = 0; ///< like DeviceChannel's
  ChannelPace pace;
  uint64_t signature = 0; ///< of the chunks' tags
};

/// Those of Plan::rings that are `apart`, with the transports that carry them.
class CarriedRings final : public TransportClient {
public:
  /// The memory of one end of a ring, as a lane uses it.
  struct Memory {
    char *slots = nullptr;
    uint64_t *full = nullptr;
    uint64_t *freed = nullptr;
  };

  /// Makes the transports, and with the current device the memory of the ends
  /// of ranks that are `here`. `plan` must outlive this object. Errors: memory;
  /// those of transports; channels of a protocol that no transport carries.
  Status create(const Plan &plan, const std::vector<bool> &here);
  /// The memory of an end in this process.
  const Memory &at(uint32_t ring, bool writer) const {
    return ends_.at({ring, writer}).memory;
  }
  /// Bytes of pinned memory for the ends of `rank`.
  uint64_t bytesOf(int rank) const;

  // For the proxy, which is one thread.

  /// Announces the chunks of a call: a lane is about to write or read them,
  /// after those of all calls announced before.
  void begin(const CarriedChunks &chunks);
  /// Posts the chunks that lanes have written, and gives credit for those that
  /// they have read. Returns whether there were any.
  bool carry();
  /// Returns true while chunks remain that lanes will write and that have not
  /// been posted.
  bool isPosting() const;
  /// Returns true if every chunk that was posted has left this end's memory
  /// (Transport::flushed).
  bool flushed() const;
  /// Returns true if a lane may be waiting for the other end of a ring.
  bool isBusy() const;
  /// Returns success, or an error if a ring is broken and its end here cannot
  /// go on without the other end. The error says why the ring broke and what
  /// its end waits for: "...; rank 0: no chunk from rank 3: expected 5 written,
  /// seen 4".
  Status failure() const;

  char *placeFor(const ChunkMessage &message) override;
  void arrived(const ChunkMessage &message) override;
  void freed(uint32_t ring, uint64_t number) override;
  void broken(uint32_t ring, const std::string &why) override;
  void note(int rank, bool warning, const std::string &text) override;

private:
  struct End {
    Memory memory;
    /// Writers: calls with chunks not yet posted.
    std::deque<CarriedChunks> calls;
    /// Writers: chunks posted of calls.front().
    uint64_t posted = 0;
    /// Number of the next chunk to post, or to give credit for.
    uint64_t next = 0;
    /// Chunks of all calls that were announced.
    uint64_t expected = 0;
    /// Readers: chunks that have arrived. Relaxed, because only error messages
    /// use it.
    std::atomic<uint64_t> numArrived{0};
  };
  /// Ring; whether it is the writer's end.
  using Key = std::pair<uint32_t, bool>;

  void layout(Arena &arena);
  bool postFrom(uint32_t ring, End &end);
  bool creditFrom(uint32_t ring, End &end);
  std::string needOf(const RingPlan &ring, bool writer, const End &end) const;

  const Plan *plan_ = nullptr;
  std::shared_ptr<char> pinned_; ///< memory of all ends
  /// Ends in this process; no entry is added or removed after create().
  std::map<Key, End> ends_;

public:
  /// Declared after the memory, which the transports use until they are
  /// destroyed.
  Carriers carriers;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_CARRIEDRINGS_H
