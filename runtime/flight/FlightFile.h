//===- FlightFile.h - the recorders of a communicator -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The memory of FlightPage.h is a file,
// /dev/shm/blink-flight.UID.NAMESPACE.PID.NUMBER, that only its user may read.
// It is removed with the communicator. The file of a process that was killed
// stays as long as other processes of its job run, so that they can tell what
// it was doing; it is removed when any process makes a communicator after that.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_FLIGHTFILE_H
#define BLINK_RUNTIME_FLIGHT_FLIGHTFILE_H

#include "runtime/flight/FlightRecorder.h"
#include "runtime/job/Descriptor.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace blink::runtime {

/// The ranks of a process for which a file is made.
struct FlightPlan {
  /// The id by which the ranks join; null: all are in this process.
  const blinkUniqueId *id = nullptr;
  blinkBackend_t backend = blinkBackendHost;
  int numRanks = 0, firstRank = 0, numHere = 0;
  uint32_t numLanes = 0;   ///< of a collective
  uint32_t queueLanes = 0; ///< of a queue of messages; 0: there are none
  uint64_t timeout = 0;    ///< milliseconds
  /// For calls that run on devices: lets devices write to the memory, or
  /// replaces it by other memory of the same size.
  std::function<Status(std::shared_ptr<char> &memory, uint64_t bytes)> open{};
};

class FlightFile {
public:
  FlightFile() = default;
  ~FlightFile();
  FlightFile(const FlightFile &) = delete;

  /// Makes the file. If that is not possible, as in a container without
  /// /dev/shm or with one that is full, the memory belongs to this process, and
  /// no other can read it. Errors: system error if memory runs out.
  Status create(const FlightPlan &plan);

  FlightRecorder &of(int rank) { return recorders_[size_t(rank - first_)]; }
  /// The FlightHeader and what follows it; null before create().
  const char *memory() const { return memory_.get(); }
  /// To be called after create(). Plain reads suffice, because the header was
  /// written before any rank had the memory.
  const FlightHeader &header() const {
    return *reinterpret_cast<const FlightHeader *>(memory());
  }
  /// Returns how long `rank`, of this process, has waited for `peer`, in
  /// nanoseconds.
  uint64_t waitedFor(int rank, int peer);
  /// "" if there is no file.
  const std::string &path() const { return path_; }

private:
  Status map(uint64_t bytes, Descriptor &file);
  void goUnseen(int error);
  Status openToDevices(const FlightPlan &plan, uint64_t bytes);
  /// Gives `file`, whose content is complete, its name.
  void publish(const Descriptor &file);

  std::string path_;
  std::shared_ptr<char> memory_;
  uint64_t process_ = 0; ///< the process whose file it is, not a forked child
  int first_ = 0;
  bool devices_ = false;
  std::vector<FlightRecorder> recorders_; ///< of the ranks in this process; all
                                          ///< made by create()
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_FLIGHTFILE_H
