//===- JobMemory.h - what ranks tell each other -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Plain structs in the memory of a job, which its processes share and which is
// zero at first, whatever the back end. What back ends have there of their own
// follows them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_JOBMEMORY_H
#define BLINK_RUNTIME_JOB_JOBMEMORY_H

#include "runtime/Status.h"
#include "runtime/core/Memory.h"
#include "runtime/job/Arena.h"
#include "runtime/job/ExchangeRecord.h"
#include "runtime/job/ShrinkRecord.h"
#include "runtime/job/SplitRecord.h"
#include "runtime/job/control/Mirror.h"
#include "schedules/schedule_generated.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace blink::runtime {

/// A Status in shared memory. Longer sentences are cut.
struct SharedStatus {
  uint64_t code;
  char text[1000];

  void set(const Status &status) {
    code = uint64_t(status.code);
    text[status.text.copy(text, sizeof(text) - 1)] = '\0';
  }
  Status get() const {
    return {blinkResult_t(code),
            std::string(text, strnlen(text, sizeof(text)))};
  }
};

/// That the job failed, and why.
struct alignas(128) FailureRecord {
  /// The abort word: not 0 once it has. Lanes on devices look at it, and raise
  /// it after a report of their own (LaneReport).
  uint64_t aborted;
  uint64_t state; ///< of `why`: 0 none, 1 being written, 2 complete
  SharedStatus why;
};
static_assert(sizeof(FailureRecord) == 1024, "no padding");

/// What a rank tells the others.
struct alignas(64) PeerRecord {
  uint64_t process; ///< its number once it has joined, and all it says first
  uint64_t ready;   ///< 1: it has found out what it needs to know of the others
  uint64_t gone;    ///< 1: its communicator has been destroyed
  uint64_t splits;  ///< of the communicator (SplitRecord)
  uint64_t exchanges; ///< of words (ExchangeRecord)
  /// Of those that set up a switch's memory (cuda/SwitchMeeting.h): the meeting
  /// to which it has come. On one server only.
  uint64_t switches;
};

/// How a transport of the others reaches a rank (runtime/Transport.h). Written
/// before the rank joins.
struct AddressRecord {
  static constexpr size_t kBytes = 1016;

  uint64_t size;
  char bytes[kBytes];

  /// Whether it fits.
  bool set(const std::string &address) {
    size = address.copy(bytes, kBytes);
    return size == address.size();
  }
  std::string get() const { return {bytes, std::min<size_t>(size, kBytes)}; }
};

/// Where all that is. A copy is of the same memory.
class JobMemory {
public:
  /// Takes the parts, alike in every process.
  void layout(Arena &arena, int numRanks) {
    failure_ = arena.take<FailureRecord>(1);
    peers_ = arena.take<PeerRecord>(size_t(numRanks));
    shrinks_ = arena.take<ShrinkRecord>(size_t(numRanks));
    splits_ = arena.take<SplitRecord>(size_t(numRanks));
    exchanges_ = arena.take<ExchangeRecord>(size_t(numRanks));
    addresses_ = arena.take<AddressRecord>(size_t(numRanks) * kTransports);
  }

  /// Sets a word of a rank of this process that publishes others: they come
  /// first for whoever sees it, also on other servers.
  void publish(uint64_t *word, uint64_t value) const {
    storeRelease(word, value);
    ring();
  }
  /// A descriptor to write to when a record has changed, or the job failed; of
  /// an event (ControlPlane::bell).
  void setBell(int bell) { bell_ = bell; }
  /// What of a rank's records others see that do not share this memory.
  MirroredWords mirroredWords(int rank) const;

  /// Whether it has been laid out in memory: all else is for afterwards.
  bool attached() const { return failure_ != nullptr; }

  PeerRecord &peer(int rank) const { return peers_[rank]; }
  ShrinkRecord &shrinkRecord(int rank) const { return shrinks_[rank]; }
  SplitRecord &splitRecord(int rank) const { return splits_[rank]; }
  ExchangeRecord &exchangeRecord(int rank) const { return exchanges_[rank]; }
  /// Of one of kTransports transports, in the order of their first rings.
  AddressRecord &address(int rank, size_t transport) const {
    return addresses_[size_t(rank) * kTransports + transport];
  }
  static constexpr size_t kTransports = size_t(sched::ChannelKind::MAX) + 1;
  uint64_t *abortWord() const { return &failure_->aborted; }

  /// One load of the abort word, to be looked at in every wait.
  bool failed() const {
    // Sequentially consistent: a thread that fails the job stores it and then
    // looks which lanes are at work; a lane says it is at work and then loads
    // it. Neither may miss the other.
    return __atomic_load_n(&failure_->aborted, __ATOMIC_SEQ_CST) != 0;
  }
  /// Fails the job, and says why unless another has; then the result is false.
  /// Afterwards failed() is true.
  bool fail(const Status &why) const;
  /// Whether somebody has said why: a lane on a device raises the abort word
  /// alone.
  bool hasReason() const;
  /// Success, or why it failed. Waits, for a moment, for the writer of the
  /// reason.
  Status failure() const;

private:
  void ring() const;

  int bell_ = -1;
  FailureRecord *failure_ = nullptr;
  PeerRecord *peers_ = nullptr;
  ShrinkRecord *shrinks_ = nullptr;
  SplitRecord *splits_ = nullptr;
  ExchangeRecord *exchanges_ = nullptr;
  AddressRecord *addresses_ = nullptr;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_JOBMEMORY_H
