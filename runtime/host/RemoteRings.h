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

#include "runtime/host/Pages.h"
#include "runtime/host/SlotHead.h"
#include "runtime/job/Carriers.h"

#include <map>

namespace blink::runtime {

struct RingEnd;

/// The rings of Plan::rings that are `apart`, with their transports.
class RemoteRings final : public TransportClient {
public:
  /// Makes the transports and the memory of the ends of ranks that are `here`.
  /// `plan` outlives it. Errors: of transports.
  Status create(const Plan &plan, const std::vector<bool> &here);
  /// Sets what an end needs to know of its memory, if that is here.
  void bind(uint32_t ring, RingEnd &writer, RingEnd &reader);

  char *placeFor(const ChunkMessage &message) override;
  void arrived(const ChunkMessage &message) override;
  void freed(uint32_t ring, uint64_t number) override;
  void broken(uint32_t ring, const std::string &why) override;
  void note(int rank, bool warning, const std::string &text) override;

private:
  void layout(const std::vector<bool> &here, Arena &arena);

  struct Ends {
    RingMemory writer, reader; ///< all null where the end's rank is elsewhere
  };

  const Plan *plan_ = nullptr;
  std::shared_ptr<char> pages_; ///< of all ends
  std::map<uint32_t, Ends> rings_;

public:
  /// Behind the memory, which transports use until their end.
  Carriers carriers;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_REMOTERINGS_H
