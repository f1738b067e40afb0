//===- TransferPlan.h - how one rank's call moves chunks --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The policy of the host back end: which chunks of a call go through slots, and
// which the readers borrow from the writer's buffers. RankRun carries it out.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_TRANSFERPLAN_H
#define BLINK_RUNTIME_HOST_TRANSFERPLAN_H

#include "runtime/plan/Call.h"

namespace blink::runtime {

/// How readers look at a writer's buffers. The same on all ranks.
enum class ZeroCopy : uint8_t {
  direct,  ///< at their addresses: both ends of every ring are in this process
  fetched, ///< the kernel copies from them (host/OtherMemory.h)
  none,    ///< the kernel does not: slots carry everything
};

/// What the choice depends on besides the call and its program.
struct HostEnvironment {
  // The same on all ranks:
  bool oneServer = true;
  ZeroCopy zeroCopy = ZeroCopy::direct;
  // Of one server:
  int numRanks = 0;
  bool crowded = false; ///< ranks share processors
  // Of one rank, and not the same on others:
  bool inWindows = false; ///< others have mapped what it reads and writes
};

/// Where the readers of a step find its chunk.
enum class Delivery : uint8_t {
  slot,         ///< each in a slot of its own ring
  sharedSlot,   ///< all in the slot of one ring (RankPlan::sharedSlots)
  borrowInput,  ///< in the writer's input
  borrowOutput, ///< in the writer's output
};

inline bool isBorrowed(Delivery delivery) {
  return delivery == Delivery::borrowInput ||
         delivery == Delivery::borrowOutput;
}

/// How a rank moves the chunks of a call. Refers to the call's VariantPlan.
struct TransferPlan {
  // Both ends of a channel must have the same here. It follows from what all
  // ranks have alike: CallKind, the variant, and the first part of
  // HostEnvironment; `stream` also from what their server has.
  CallShape shape;
  bool stream = false; ///< outputs that nobody reads go around the caches
  bool scaled = false; ///< inputs are multiplied: others must not see them

  // Each rank chooses these for itself, since the heads of slots tell readers
  // where chunks are. They also follow from its part of the program, from where
  // its buffers are, and from the rest of HostEnvironment.
  const RankPlan *rank = nullptr; ///< null: a plan of no call
  /// What readers borrow, of each step; null: nothing.
  const std::vector<Borrow> *borrows = nullptr;
  /// Likewise: what a transport sends from there.
  const std::vector<Borrow> *sentBorrows = nullptr;
  bool inPlace = false; ///< the output overlaps an input that readers borrow

  Borrow borrowOf(size_t step) const {
    const Borrow borrow = borrows ? (*borrows)[step] : Borrow::none;
    return borrow == Borrow::none && sentBorrows ? (*sentBorrows)[step]
                                                 : borrow;
  }

  /// Where the chunks of step number `step` of the rank go. A chunk that fits
  /// into the head of a slot goes to the heads of all readers, unless it is
  /// borrowed.
  Delivery deliveryOf(size_t step) const {
    switch (borrowOf(step)) {
    case Borrow::none:
      break;
    case Borrow::output:
      return Delivery::borrowOutput;
    case Borrow::input:
      if (!scaled)
        return Delivery::borrowInput;
      break;
    case Borrow::inputOrOutput:
      return inPlace || scaled ? Delivery::borrowOutput : Delivery::borrowInput;
    case Borrow::inputUnlessOwn:
      if (!inPlace && !scaled)
        return Delivery::borrowInput;
    }
    return rank->sharedSlots[step] ? Delivery::sharedSlot : Delivery::slot;
  }

  /// Whether both deliver the chunks of every step in the same way.
  bool deliversAs(const TransferPlan &other) const {
    return rank == other.rank && borrows == other.borrows &&
           sentBorrows == other.sentBorrows && inPlace == other.inPlace &&
           scaled == other.scaled;
  }
};

/// The plan of rank `call.rank`. A function of its arguments alone. `variant`
/// is the call's (VariantChoice.h), and outlives the plan.
TransferPlan chooseTransfers(const Call &call, const VariantPlan &variant,
                             const HostEnvironment &host);

/// Whether the rank must wait for all readers of the slots that `before` shared
/// before it writes to a slot for `next`. Such a slot is free when all of them
/// have read it, and not just the reader of its ring. Steps that write the same
/// channels in turn see to that by themselves; others do not.
inline bool mustDrain(const TransferPlan &before, const TransferPlan &next) {
  return before.rank && !before.deliversAs(next);
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_TRANSFERPLAN_H
