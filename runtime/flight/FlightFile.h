//===- FlightFile.h - the recorders of a communicator -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The memory of FlightPage.h is a file, /dev/shm/blink-flight.UID.PID.NUMBER,
// that its user alone may read. It goes with the communicator. What a process
// leaves that was killed stays while others of its job run, so that they can
// say what it was at, and goes when anybody makes a communicator afterwards.
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
  /// That the ranks join by; null: all are here.
  const blinkUniqueId *id = nullptr;
  blinkBackend_t backend = blinkBackendHost;
  int numRanks = 0, firstRank = 0, numHere = 0;
  uint32_t numLanes = 0;   ///< of a collective
  uint32_t queueLanes = 0; ///< of a queue of messages; 0: there are none
  uint64_t timeout = 0;    ///< milliseconds
  /// Where devices run the calls: lets them write to the memory, or puts other
  /// memory of as many bytes in its place.
  std::function<Status(std::shared_ptr<char> &memory, uint64_t bytes)> open{};
};

class FlightFile {
public:
  FlightFile() = default;
  ~FlightFile();
  FlightFile(const FlightFile &) = delete;

  /// Where there can be no file, as in a container without /dev/shm, or one
  /// that is full, the memory is this process's, which alone can read it then.
  /// Errors: system error if memory runs out.
  Status create(const FlightPlan &plan);

  FlightRecorder &of(int rank) { return recorders_[size_t(rank - first_)]; }
  /// FlightHeader and what follows; null before create().
  const char *memory() const { return memory_.get(); }
  /// After create(). Plain reads: written before any rank had the memory.
  const FlightHeader &header() const {
    return *reinterpret_cast<const FlightHeader *>(memory());
  }
  /// How long `rank`, of here, has waited for `peer`: nanoseconds.
  uint64_t waitedFor(int rank, int peer);
  /// "" if there is no file.
  const std::string &path() const { return path_; }

private:
  Status map(uint64_t bytes, Descriptor &file);
  void goUnseen(int error);
  Status openToDevices(const FlightPlan &plan, uint64_t bytes);
  /// Gives the file, which is whole, its name.
  void publish(const Descriptor &file);

  std::string path_;
  std::shared_ptr<char> memory_;
  uint64_t process_ = 0; ///< whose the file is: not a forked child's
  int first_ = 0;
  bool devices_ = false;
  std::vector<FlightRecorder> recorders_; ///< of here; all made by create()
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_FLIGHTFILE_H
