//===- Transport.h - what carries chunks between two ranks ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The channels of a schedule have kinds, and each kind has a transport. Where
// both ends of a ring are in memory that both ranks reach (kinds peer and
// staged), a back end lays it there: to write a slot's tag is to post a chunk,
// and to write `freed` is to give credit (core/Ring.h). Elsewhere each end has
// the ring's memory to itself, alike, and a Transport carries what one end
// writes to the other:
//
//   writer's end              Transport                     reader's end
//   fills slot, post()  --->  header, bytes  ---> placeFor(), arrived(): tag
//   freed()             <---     number      <--- credit()
//
// Nothing but that differs: lanes poll words of their own end in any case.
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
  uint32_t ring = 0;   ///< of Plan::rings, which the other end may number
                       ///< otherwise
  uint32_t slot = 0;   ///< of the ring
  uint64_t tag = 0;    ///< what `full` of the slot becomes
  uint64_t offset = 0; ///< of the chunk's bytes among those of the ring's slots
  uint64_t bytes = 0;
};

/// The back end whose rings a transport carries. Any thread that makes
/// progress calls these, for one ring one at a time.
class TransportClient {
public:
  virtual ~TransportClient() = default;
  /// Where the chunk's bytes go; null if there is no such place, so that the
  /// other end is not what it should be.
  virtual char *placeFor(const ChunkMessage &message) = 0;
  /// They are all there.
  virtual void arrived(const ChunkMessage &message) = 0;
  /// The reader has read all chunks before `number` of the ring. Numbers of a
  /// ring come in the order in which they were credited.
  virtual void freed(uint32_t ring, uint64_t number) = 0;
  /// Nothing will come through the ring any more, nor get through. No failure
  /// by itself: the other rank may have left when all was done.
  virtual void broken(uint32_t ring, const std::string &why) = 0;
  /// For the log: what a person should see of a rank that is here, or may.
  virtual void note(int rank, bool warning, const std::string &text) = 0;
};

/// A NIC of the schedule's topology.
struct TransportNic {
  std::string name;    ///< the node's
  std::string device;  ///< the operating system's name for it, or ""
  uint16_t number = 0; ///< among those of its server
};

/// Of a ring whose path crosses no NIC: whichever the machine has.
inline constexpr uint16_t kAnyNic = 0xffff;

/// A ring that a transport is to carry.
struct TransportRing {
  uint32_t ring = 0;
  /// Among those with these ends and NICs: the same at both ends.
  uint32_t between = 0;
  int source = 0, destination = 0;
  /// By which the ring leaves and arrives: of TransportJob::nics.
  uint16_t sourceNic = kAnyNic, destinationNic = kAnyNic;
};

/// What a transport is made for.
struct TransportJob {
  int numRanks = 0;
  std::vector<bool> here; ///< of each rank: whether it is in this process
  std::vector<TransportRing> rings;
  std::vector<TransportNic> nics;
  uint64_t largestChunk = 0; ///< of bytes
};

/// The rings of some kinds of channels, at the ends that are in this process.
/// post() and credit() of one ring are called by one thread at a time;
/// everything else by any, at the same time.
class Transport {
public:
  virtual ~Transport() = default;

  /// How the others reach `rank`, which is in this process: at most
  /// AddressRecord::kBytes.
  virtual Status listen(int rank, std::string &address) = 0;
  /// Joins all rings, now that every rank listens. Ends in bounded time.
  /// Errors: `deadline` has passed; `ended`, asked now and then.
  virtual Status connect(const std::vector<std::string> &addresses,
                         std::chrono::steady_clock::time_point deadline,
                         const std::function<Status()> &ended) = 0;

  /// Begins to carry a chunk, when fewer than the window of the ring's are on
  /// their way. `data` stays until the client hears that it has been freed,
  /// flushed() says so, or abandon() has.
  virtual void post(const ChunkMessage &message, const char *data,
                    ChannelPace pace) = 0;
  /// As TransportClient::freed, at the reader's end.
  virtual void credit(uint32_t ring, uint64_t number) = 0;
  /// Carries on what is under way at the ends of `rank`. Whether anything
  /// moved; if not, the client has been told all that had come before, or
  /// another thread is about to tell it. `wait`: not before it has.
  virtual bool progress(int rank, bool wait) = 0;
  /// Adds to `files` those in which poll() sees that there may be something to
  /// carry on at the ends of `rank`, and shortens `most` to when there is in
  /// any case. False: there is already, or the transport has no such files.
  virtual bool awaitable(int rank, std::vector<pollfd> &files,
                         std::chrono::nanoseconds &most) {
    (void)rank, (void)files, (void)most;
    return false;
  }
  /// Whether all that has been posted to a ring whose source is here has left
  /// its memory, and gets to the other end without more progress here. Of one
  /// ring, since a call must not wait for what another one has posted, which
  /// may wait for calls behind this one. Credits may wait: a rank that needs
  /// one is in a call that this rank makes, too, whereas one that needs none
  /// may not be reading.
  virtual bool flushed(uint32_t ring) = 0;
  /// The job has failed: what `rank` has posted is not read any more.
  virtual void abandon(int rank) = 0;
};

/// A line of the table of transports.
struct TransportEntry {
  /// Null: the back end lays rings in memory that both ranks reach. `client`
  /// outlives the transport.
  Status (*create)(const TransportJob &job, TransportClient &client,
                   std::unique_ptr<Transport> &transport);
  /// Only where the ranks of a job are in several processes. A process that has
  /// all of them lays the rings in its memory.
  bool betweenProcesses = false;
};

/// The transport of channels of that kind. Alike in all processes of a job.
/// Channels of kind `network` have UCX (runtime/network/).
const TransportEntry &transportOf(sched::ChannelKind kind);
/// Replaces it, for jobs made from now on: for modules, and tests. Null: as at
/// first.
void setTransport(sched::ChannelKind kind, const TransportEntry *entry);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_TRANSPORT_H
