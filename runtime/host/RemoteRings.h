//===- RemoteRings.h - rings that a transport carries -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Each end of such a ring that is in this process has heads, slots and a word
// `freed` like those in the segment, and its lane uses them as if they were
// there. The transport keeps both ends the same.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_REMOTERINGS_H
#define BLINK_RUNTIME_HOST_REMOTERINGS_H

#include "runtime/host/Pages.h"
#include "runtime/host/SlotHead.h"
#include "runtime/job/Carriers.h"

#include <map>

namespace blink::runtime {

struct RingEnd;

/// Those of Plan::rings that are `apart`, with the transports that carry them.
class RemoteRings final : public TransportClient {
public:
  /// Makes the transports, and the memory of the ends of ranks that are `here`.
  /// `plan` must outlive this object. Errors: those of transports.
  Status create(const Plan &plan, const std::vector<bool> &here);
  /// Sets the memory and the transport of both ends of a ring; the memory is
  /// null for an end in another process.
  void bind(uint32_t ring, RingEnd &writer, RingEnd &reader);

  char *placeFor(const ChunkMessage &message) override;
  void arrived(const ChunkMessage &message) override;
  void freed(uint32_t ring, uint64_t number) override;
  void broken(uint32_t ring, const std::string &why) override;
  void note(int rank, bool warning, const std::string &text) override;

private:
  void layout(const std::vector<bool> &here, Arena &arena);

  struct Ends {
    RingMemory writer, reader; ///< all null if the end's rank is elsewhere
  };

  const Plan *plan_ = nullptr;
  std::shared_ptr<char> pages_; ///< memory of all ends
  std::map<uint32_t, Ends> rings_;

public:
  /// Declared after the memory, which the transports use until they are
  /// destroyed.
  Carriers carriers;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_REMOTERINGS_H
