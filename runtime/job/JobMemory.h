//===- JobMemory.h - the shared state of a job's ranks ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Plain structs in the memory of a job, which its processes share and which is
// zero at first, whatever the back end. What a back end keeps there for itself
// follows these structs.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_JOBMEMORY_H
#define BLINK_RUNTIME_JOB_JOBMEMORY_H

#include "runtime/Status.h"
#include "runtime/core/Memory.h"
#include "runtime/job/Arena.h"
#include "runtime/job/ExchangeRecord.h"
#include "runtime/job/MirroredCopy.h"
#include "runtime/job/ShrinkRecord.h"
#include "runtime/job/SplitRecord.h"
#include "runtime/job/control/Mirror.h"
#include "schedules/schedule_generated.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace blink::runtime {

/// A Status in shared memory. Longer sentences are truncated.
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

/// Whether the job has failed, and why.
struct alignas(128) FailureRecord {
  /// The abort word: nonzero once the job has failed. Lanes on devices poll it,
  /// and set it after they have written a report of their own (LaneReport).
  uint64_t aborted;
  uint64_t state; ///< of `why`: 0 none, 1 being written, 2 complete
  SharedStatus why;
};
static_assert(sizeof(FailureRecord) == 1024, "no padding");

/// A rank's state as the others see it.
struct alignas(64) PeerRecord {
  uint64_t process;   ///< process id, set once the rank has joined and written
                      ///< its other data
  uint64_t ready;     ///< 1: the rank has gathered what it needs to know of the
                      ///< others
  uint64_t gone;      ///< 1: its communicator has been destroyed
  uint64_t splits;    ///< number of splits of the communicator (SplitRecord)
  uint64_t exchanges; ///< number of exchanges (ExchangeRecord)
  /// For ranks that set up a switch's memory (cuda/SwitchMeeting.h): the number
  /// of the meeting that the rank has reached. Only used within one server.
  uint64_t switches;
};

/// How the others' transports reach a rank (runtime/Transport.h). Written
/// before the rank joins.
struct AddressRecord {
  static constexpr size_t kBytes = 1016;

  uint64_t size;
  char bytes[kBytes];

  /// Returns whether `address` fits.
  bool set(const std::string &address) {
    size = address.copy(bytes, kBytes);
    return size == address.size();
  }
  std::string get() const {
    const AddressRecord copy = mirroredCopy(*this);
    return {copy.bytes, std::min<size_t>(copy.size, kBytes)};
  }
};

/// Locates these structs in the job's memory. Copies refer to the same memory.
class JobMemory {
public:
  /// Takes the parts from `arena`, in the same order in every process.
  void layout(Arena &arena, int numRanks) {
    failure_ = arena.take<FailureRecord>(1);
    peers_ = arena.take<PeerRecord>(size_t(numRanks));
    shrinks_ = arena.take<ShrinkRecord>(size_t(numRanks));
    splits_ = arena.take<SplitRecord>(size_t(numRanks));
    exchanges_ = arena.take<ExchangeRecord>(size_t(numRanks));
    addresses_ = arena.take<AddressRecord>(size_t(numRanks) * kTransports);
  }

  /// Sets a word of a rank of this process that publishes other words: a rank
  /// that sees the value also sees every store made before it, on other
  /// servers, too.
  void publish(uint64_t *word, uint64_t value) const {
    storeRelease(word, value);
    ring();
  }
  /// Sets the descriptor of an event (ControlPlane::bell), which is written to
  /// when a record has changed or the job has failed.
  void setBell(int bell) { bell_ = bell; }
  /// The words of a rank's records that are copied to ranks that do not share
  /// this memory.
  MirroredWords mirroredWords(int rank) const;

  /// Whether the structs have been laid out in memory; all other functions
  /// require that.
  bool attached() const { return failure_ != nullptr; }

  PeerRecord &peer(int rank) const { return peers_[rank]; }
  ShrinkRecord &shrinkRecord(int rank) const { return shrinks_[rank]; }
  SplitRecord &splitRecord(int rank) const { return splits_[rank]; }
  ExchangeRecord &exchangeRecord(int rank) const { return exchanges_[rank]; }
  /// `transport`: one of kTransports, in the order of their first rings.
  AddressRecord &address(int rank, size_t transport) const {
    return addresses_[size_t(rank) * kTransports + transport];
  }
  static constexpr size_t kTransports = size_t(sched::ChannelKind::MAX) + 1;
  uint64_t *abortWord() const { return &failure_->aborted; }

  /// One load of the abort word, which every wait does.
  bool failed() const {
    // Sequentially consistent: a thread that fails the job stores the abort
    // word and then looks which lanes are at work; a lane stores that it is at
    // work and then loads the abort word. With this order, at least one of the
    // two sees the other's store.
    return __atomic_load_n(&failure_->aborted, __ATOMIC_SEQ_CST) != 0;
  }
  /// Fails the job. Stores `why` unless a reason has been stored before;
  /// returns whether it did. Afterwards failed() is true.
  bool fail(const Status &why) const;
  /// Whether a reason has been stored. A lane on a device sets only the abort
  /// word.
  bool hasReason() const;
  /// Returns success, or why the job failed. If the reason is just being
  /// written, waits a moment for that.
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
