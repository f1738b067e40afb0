//===- RemoteRings.h - rings that a transport carries -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Each end of such a ring that is in this process has heads, slots and a word
// `freed` like those of the segment. Its lane uses them as if they were there;
// the transport keeps the other end alike.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_REMOTERINGS_H
#define BLINK_RUNTIME_HOST_REMOTERINGS_H

#include "runtime/Transport.h"
#include "runtime/host/Pages.h"
#include "runtime/host/SlotHead.h"
#include "runtime/job/Job.h"
#include "runtime/plan/Plan.h"

#include <atomic>
#include <map>
#include <mutex>

namespace blink::runtime {

struct RingEnd;

/// The rings of Plan::rings that are `apart`, with their transports.
class RemoteRings final : public TransportClient {
public:
  /// Makes the transports and the memory of the ends of ranks that are `here`.
  /// `plan` outlives it. Errors: of transports.
  Status create(const Plan &plan, const std::vector<bool> &here);
  /// Whether there are any such rings.
  bool any() const { return !carriers_.empty(); }
  /// Sets what an end needs to know of its memory, if that is here.
  void bind(uint32_t ring, RingEnd &writer, RingEnd &reader);

  /// Notes in the job's memory how to reach `rank`, which is here. Before the
  /// rank joins. Errors: of transports.
  Status listen(int rank, const Job &job);
  /// Joins the rings when all ranks have joined. Errors: of transports.
  Status connect(const Job &job, std::chrono::steady_clock::time_point deadline,
                 const std::function<Status()> &ended);

  /// Transport::progress, ::flushed and ::abandon, of all transports.
  bool progress(int rank, bool wait = false);
  bool flushed(int rank);
  void abandon(int rank);
  /// Success, or that a ring has been broken for longer than a rank's death
  /// takes to be known, and between which ranks.
  Status failure() const;

  char *placeFor(const ChunkMessage &message) override;
  void arrived(const ChunkMessage &message) override;
  void freed(uint32_t ring, uint64_t number) override;
  void broken(uint32_t ring, const std::string &why) override;

private:
  void layout(const std::vector<bool> &here, Arena &arena);

  struct Ends {
    RingMemory writer, reader; ///< all null where the end's rank is elsewhere
    Transport *transport = nullptr;
  };
  struct Carrier {
    const TransportEntry *entry;
    size_t place; ///< of its address in the job's memory
    std::unique_ptr<Transport> transport;
  };

  const Plan *plan_ = nullptr;
  std::shared_ptr<char> pages_; ///< of all ends
  std::map<uint32_t, Ends> rings_;
  std::vector<Carrier> carriers_;

  std::atomic<bool> anyBroken_{false};
  mutable std::mutex mutex_; ///< of what follows
  Status why_;               ///< of the first
  std::chrono::steady_clock::time_point since_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_REMOTERINGS_H
