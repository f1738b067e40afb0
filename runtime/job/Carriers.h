//===- Carriers.h - the transports of a job's rings -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Which rings have no memory that both ends reach, and the transports
// (runtime/Transport.h) that carry their chunks instead. The same for all back
// ends.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_CARRIERS_H
#define BLINK_RUNTIME_JOB_CARRIERS_H

#include "runtime/Transport.h"
#include "runtime/job/Job.h"
#include "runtime/plan/Plan.h"

#include <atomic>
#include <map>
#include <mutex>

namespace blink::runtime {

/// Marks the rings that a transport carries (Plan::keepApart), and those that
/// do not belong to this process's server (Plan::keepServer). Returns the
/// number of ranks on that server. `here`: of each rank, whether it is in this
/// process.
int partRings(Plan &plan, const std::vector<bool> &here);

/// How a wait for transports has ended.
enum class Awaited : uint8_t {
  no,        ///< no wait: there was something to do, or no wait can tell
  something, ///< there may be something to carry on
  nothing,   ///< nothing came in all that time
};

/// The transports of the rings that are apart, that is, whose ends share no
/// memory.
class Carriers {
public:
  /// Makes the transports. `plan` and `client` outlive this object. Errors:
  /// those of transports.
  Status create(const Plan &plan, const std::vector<bool> &here,
                TransportClient &client);
  /// Whether there are any transports.
  bool any() const { return !carriers_.empty(); }
  /// Returns the transport of a ring that is apart.
  Transport *of(uint32_t ring) const { return ofRings_.at(ring); }

  /// Writes to the job's memory how to reach `rank`, which is in this process.
  /// To be called before the rank joins. Errors: those of transports.
  Status listen(int rank, const Job &job);
  /// Connects the rings, when all ranks have joined. Errors: those of
  /// transports.
  Status connect(const Job &job, std::chrono::steady_clock::time_point deadline,
                 const std::function<Status()> &ended);

  /// Call Transport::progress and Transport::abandon of all transports.
  bool progress(int rank, bool wait = false);
  void abandon(int rank);
  /// Sleeps until there may be something to carry on at the ends of `rank`, but
  /// no longer than `most`, which is less than a second.
  Awaited await(int rank, std::chrono::nanoseconds most);
  /// Calls Transport::flushed.
  bool flushed(uint32_t ring) const { return of(ring)->flushed(ring); }

  /// To be called when a client receives TransportClient::broken.
  void noteBroken(uint32_t ring, const std::string &why);
  /// Writes what a client receives by TransportClient::note to the log.
  static void note(int rank, bool warning, const std::string &text);
  /// Whether any ring may be broken.
  bool anyBroken() const {
    // Relaxed: the value is only a hint; a thread that sees it set takes the
    // mutex.
    return anyBroken_.load(std::memory_order_relaxed);
  }
  /// Returns success, or an error that names the ranks at the ends of the ring
  /// if it has been broken for longer than it takes a rank's death to become
  /// known. Only calls that wait for the ring fail by it: other calls may have
  /// received all of its chunks.
  Status failure(uint32_t ring) const;
  /// Does the same for any ring between ranks that have not left `job`.
  Status lostWay(const Job &job) const;

private:
  struct Carrier {
    const TransportEntry *entry;
    size_t place; ///< of its address in the job's memory
    std::unique_ptr<Transport> transport;
  };

  const Plan *plan_ = nullptr;
  std::vector<Carrier> carriers_;
  std::map<uint32_t, Transport *> ofRings_;

  std::atomic<bool> anyBroken_{false};
  struct Broken {
    Status why;
    std::chrono::steady_clock::time_point since;

    bool isFailure() const;
  };
  mutable std::mutex mutex_;          ///< guards the rest
  std::map<uint32_t, Broken> broken_; ///< by ring
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CARRIERS_H
