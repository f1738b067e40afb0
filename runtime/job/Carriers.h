//===- Carriers.h - the transports of a job's rings -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Which rings have no memory that both ends reach, and what carries their
// chunks instead (runtime/Transport.h), whatever the back end.
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
/// are none of this process's server (Plan::keepServer). Returns the number of
/// ranks on that server. `here`: of each rank, whether it is in this process.
int partRings(Plan &plan, const std::vector<bool> &here);

/// How a wait for transports has ended.
enum class Awaited : uint8_t {
  no,        ///< there was none: something had come, or no wait can tell
  something, ///< there may be something to carry on
  nothing,   ///< in all that time
};

/// The transports of the rings that are apart.
class Carriers {
public:
  /// Makes them. `plan` and `client` outlive this. Errors: of transports.
  Status create(const Plan &plan, const std::vector<bool> &here,
                TransportClient &client);
  /// Whether there are any.
  bool any() const { return !carriers_.empty(); }
  /// Of a ring that is apart.
  Transport *of(uint32_t ring) const { return ofRings_.at(ring); }

  /// Notes in the job's memory how to reach `rank`, which is here. Before the
  /// rank joins. Errors: of transports.
  Status listen(int rank, const Job &job);
  /// Joins the rings when all ranks have joined. Errors: of transports.
  Status connect(const Job &job, std::chrono::steady_clock::time_point deadline,
                 const std::function<Status()> &ended);

  /// Transport::progress and ::abandon, of all transports.
  bool progress(int rank, bool wait = false);
  void abandon(int rank);
  /// Sleeps until there may be something to carry on at the ends of `rank`, no
  /// longer than `most`, which is less than a second.
  Awaited await(int rank, std::chrono::nanoseconds most);
  /// Transport::flushed.
  bool flushed(uint32_t ring) const { return of(ring)->flushed(ring); }

  /// What a client hears by TransportClient::broken.
  void noteBroken(uint32_t ring, const std::string &why);
  /// What a client hears by TransportClient::note, into the log.
  static void note(int rank, bool warning, const std::string &text);
  /// Whether any ring may be broken.
  bool anyBroken() const {
    // Relaxed: a hint; a thread that sees it takes the mutex.
    return anyBroken_.load(std::memory_order_relaxed);
  }
  /// Success, or that the ring has been broken for longer than a rank's death
  /// takes to be known, and between which ranks. It is a failure of calls that
  /// wait for the ring: others may have had all of it.
  Status failure(uint32_t ring) const;
  /// The same of any ring between ranks that have not left `job`.
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
  mutable std::mutex mutex_;          ///< of what follows
  std::map<uint32_t, Broken> broken_; ///< by ring
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CARRIERS_H
