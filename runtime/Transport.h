//===- Transport.h - what carries chunks between two ranks ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The channels of a schedule have kinds, and each kind has a transport. If both
// ends of a ring are in memory that both ranks reach (kinds peer and staged), a
// back end places the ring there: writing a slot's tag posts a chunk, and
// writing `freed` gives credit (core/Ring.h). Otherwise each end has its own
// copy of the ring's memory, with the same layout, and a Transport carries what
// one end writes to the other:
//
//   writer's end              Transport                     reader's end
//   fills slot, post()  --->  header, bytes  ---> placeFor(), arrived(): tag
//   freed()             <---     number      <--- credit()
//
// Lanes do not notice the difference: in both cases they poll words of their
// own end.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_TRANSPORT_H
#define BLINK_RUNTIME_TRANSPORT_H

#include "runtime/Status.h"
#include "runtime/core/ChannelPace.h"
#include "schedules/schedule_generated.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <poll.h>
#include <string>
#include <vector>

namespace blink::runtime {

/// A chunk on its way through a ring.
struct ChunkMessage {
  uint32_t ring = 0;   ///< in Plan::rings; the other end may number it
                       ///< differently
  uint32_t slot = 0;   ///< within the ring
  uint64_t tag = 0;    ///< the value that `full` of the slot takes
  uint64_t offset = 0; ///< of the chunk's bytes within those of the ring's
                       ///< slots
  uint64_t bytes = 0;
};

/// Implemented by the back end whose rings a transport carries. These functions
/// are called by any thread that makes progress, for any one ring by one thread
/// at a time.
class TransportClient {
public:
  virtual ~TransportClient() = default;
  /// Returns where the chunk's bytes go; null if there is no such place, which
  /// means that the other end is not what it should be.
  virtual char *placeFor(const ChunkMessage &message) = 0;
  /// All bytes of the chunk have arrived.
  virtual void arrived(const ChunkMessage &message) = 0;
  /// The reader has read all chunks of the ring before `number`. The numbers of
  /// a ring come in the order in which they were credited.
  virtual void freed(uint32_t ring, uint64_t number) = 0;
  /// The ring carries nothing any more, in either direction. This is not a
  /// failure by itself: the other rank may have left after everything was done.
  virtual void broken(uint32_t ring, const std::string &why) = 0;
  /// A line for the log about `rank`, which is in this process: with `warning`
  /// one that a person should see, otherwise one that a person may want to see.
  virtual void note(int rank, bool warning, const std::string &text) = 0;
};

/// A NIC of the schedule's topology.
struct TransportNic {
  std::string name;    ///< the node's name
  std::string device;  ///< the operating system's name for it, or ""
  uint16_t number = 0; ///< among the NICs of its server
};

/// The NIC of a ring whose path crosses none: any one of the machine's.
inline constexpr uint16_t kAnyNic = 0xffff;

/// A ring that a transport carries.
struct TransportRing {
  uint32_t ring = 0;
  /// Number among the rings with the same ends and NICs; the same at both ends.
  uint32_t between = 0;
  int source = 0, destination = 0;
  /// The NICs by which the ring leaves and arrives: indices into
  /// TransportJob::nics.
  uint16_t sourceNic = kAnyNic, destinationNic = kAnyNic;
};

/// What a transport is made for.
struct TransportJob {
  int numRanks = 0;
  std::vector<bool> here; ///< of each rank: whether it is in this process
  std::vector<TransportRing> rings;
  std::vector<TransportNic> nics;
  uint64_t largestChunk = 0; ///< in bytes
};

/// Carries the rings of one or several kinds of channels, at the ends that are
/// in this process. For any one ring, post() and credit() are each called by
/// one thread at a time; everything else may be called by any thread at any
/// time.
class Transport {
public:
  virtual ~Transport() = default;

  /// Sets `address` to what the other ranks need to reach `rank`, which is in
  /// this process; at most AddressRecord::kBytes.
  virtual Status listen(int rank, std::string &address) = 0;
  /// Connects all rings. Called when every rank listens. Returns in bounded
  /// time. Errors: `deadline` has passed; the error of `ended`, which is called
  /// now and then.
  virtual Status connect(const std::vector<std::string> &addresses,
                         std::chrono::steady_clock::time_point deadline,
                         const std::function<Status()> &ended) = 0;

  /// Begins to carry a chunk. Fewer chunks of the ring than its window must be
  /// on their way. `data` stays valid until the client is told that the chunk
  /// has been freed, flushed() returns true, or abandon() has returned.
  virtual void post(const ChunkMessage &message, const char *data,
                    ChannelPace pace) = 0;
  /// Like TransportClient::freed, at the reader's end.
  virtual void credit(uint32_t ring, uint64_t number) = 0;
  /// Advances what is under way at the ends of `rank`. Returns whether anything
  /// moved. If nothing did, either the client has been told everything that had
  /// arrived before, or another thread is about to tell it; with `wait` set,
  /// the call first waits until that thread has done so.
  virtual bool progress(int rank, bool wait) = 0;
  /// Prepares a poll() for something to do at the ends of `rank`: adds to
  /// `files` the descriptors to watch, and shortens `most` to the time after
  /// which there is something to do in any case. Returns false if there is
  /// something to do already, or the transport has no such descriptors.
  virtual bool awaitable(int rank, std::vector<pollfd> &files,
                         std::chrono::nanoseconds &most) {
    (void)rank, (void)files, (void)most;
    return false;
  }
  /// Returns true if everything that was posted to `ring`, whose source is in
  /// this process, has left its memory and will reach the other end without
  /// more progress here. The question is about one ring only, because a call
  /// must not wait for chunks of another call, which may be waiting for calls
  /// after this one. Credits do not count: a rank that needs one is in a call
  /// that this rank makes, too, whereas a rank that needs none may not be
  /// reading.
  virtual bool flushed(uint32_t ring) = 0;
  /// The job has failed: what `rank` has posted is not read after this call.
  virtual void abandon(int rank) = 0;
};

/// An entry of the table of transports.
struct TransportEntry {
  /// Makes a transport; `client` outlives it. Null: the back end places rings
  /// in memory that both ranks reach.
  Status (*create)(const TransportJob &job, TransportClient &client,
                   std::unique_ptr<Transport> &transport);
  /// Use the transport only if the ranks of a job are in several processes. A
  /// process that has all ranks places the rings in its own memory.
  bool betweenProcesses = false;
};

/// Returns the transport of channels of that kind, which is the same in all
/// processes of a job. Channels of kind `network` have UCX (runtime/network/).
const TransportEntry &transportOf(sched::ChannelKind kind);
/// Replaces the transport for jobs made from now on; for modules and tests.
/// Null restores the original one.
void setTransport(sched::ChannelKind kind, const TransportEntry *entry);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_TRANSPORT_H
