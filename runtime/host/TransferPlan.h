//===- TransferPlan.h - how one rank's call moves chunks --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The policy of the host back end: which chunks of a call go through slots, and
// which ones readers borrow from the writer's buffers. RankRun carries it out.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_TRANSFERPLAN_H
#define BLINK_RUNTIME_HOST_TRANSFERPLAN_H

#include "runtime/plan/Call.h"

namespace blink::runtime {

/// How readers reach a writer's buffers. The same on all ranks.
enum class ZeroCopy : uint8_t {
  direct,  ///< at their addresses: both ends of every ring are in this process
  fetched, ///< the kernel copies from them (host/OtherMemory.h)
  none,    ///< not at all: slots carry everything
};

/// The circumstances that the choice depends on, besides the call and its
/// program.
struct HostEnvironment {
  // The same on all ranks:
  bool oneServer = true;
  ZeroCopy zeroCopy = ZeroCopy::direct;
  // The same on all ranks of one server:
  int numRanks = 0;
  bool crowded = false; ///< whether ranks share processors
  // Of this rank alone:
  /// Other ranks have mapped all that it reads and writes.
  bool inWindows = false;
};

/// The place at which the readers of a step find its chunk.
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

/// A plan of how a rank moves the chunks of a call. Points into the call's
/// VariantPlan.
struct TransferPlan {
  // These must be the same at both ends of a channel. They follow from what is
  // the same on all ranks: CallKind, the variant, and the first part of
  // HostEnvironment; `stream` also depends on the second part, which is the
  // same on a server.
  CallShape shape;
  bool stream = false; ///< outputs that are not read soon go around the caches
  /// Inputs are multiplied, so other ranks must not see them.
  bool scaled = false;

  // Each rank chooses these for itself, since the heads of slots tell readers
  // where chunks are. They also depend on the rank's part of the program, on
  // where its buffers are, and on the rest of HostEnvironment.
  const RankPlan *rank = nullptr; ///< null: there has been no call
  /// For each step: the buffer that readers borrow from; null: they borrow
  /// nothing.
  const std::vector<Borrow> *borrows = nullptr;
  /// For each step: the buffer that a transport sends from; null: it sends
  /// slots only.
  const std::vector<Borrow> *sentBorrows = nullptr;
  /// Whether the output overlaps an input that readers borrow.
  bool inPlace = false;

  Borrow borrowOf(size_t step) const {
    const Borrow borrow = borrows ? (*borrows)[step] : Borrow::none;
    return borrow == Borrow::none && sentBorrows ? (*sentBorrows)[step]
                                                 : borrow;
  }

  /// Returns where the chunks of step number `step` of the rank go. A chunk
  /// that fits into the head of a slot goes to the heads of all readers, unless
  /// it is borrowed.
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

  /// Whether both plans deliver the chunks of every step in the same way.
  bool deliversAs(const TransferPlan &other) const {
    return rank == other.rank && borrows == other.borrows &&
           sentBorrows == other.sentBorrows && inPlace == other.inPlace &&
           scaled == other.scaled;
  }
};

/// Returns the plan of rank `call.rank`, which depends on the arguments alone.
/// `variant` is the call's (VariantChoice.h) and must outlive the plan.
TransferPlan chooseTransfers(const Call &call, const VariantPlan &variant,
                             const HostEnvironment &host);

/// Whether the rank must wait for all readers of the slots that `before` shared
/// before it writes to a slot for `next`. A shared slot is free once all its
/// readers have read it, not only the reader of its ring. Successive calls that
/// write the same channels in the same steps wait for all of these readers
/// anyway; other calls do not.
inline bool mustDrain(const TransferPlan &before, const TransferPlan &next) {
  return before.rank && !before.deliversAs(next);
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_TRANSFERPLAN_H
