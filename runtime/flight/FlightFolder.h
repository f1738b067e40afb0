//===- FlightFolder.h - where the files of all jobs are ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_FLIGHTFOLDER_H
#define BLINK_RUNTIME_FLIGHT_FLIGHTFOLDER_H

#include "runtime/flight/FlightPage.h"

#include <string>
#include <vector>

namespace blink::runtime {

inline constexpr const char *kFlightFolder = "/dev/shm";

/// "/dev/shm/blink-flight.UID.", of this user.
std::string flightPrefix();

/// The files of this user, in the order of their names: they may be none that
/// this Blink can read.
std::vector<std::string> listFlights();

/// Reads bytes of a file, or of memory of this process that changes meanwhile:
/// no word is torn. False: there are not so many.
class FlightSource {
public:
  /// Of the user's own regular file; it may be cut while it is read.
  explicit FlightSource(const std::string &path);
  explicit FlightSource(const char *memory) : memory_(memory) {}
  ~FlightSource();
  FlightSource(const FlightSource &) = delete;

  bool read(uint64_t offset, void *to, uint64_t bytes) const;
  /// The header, if it is one, and the file as long as it says.
  bool readHeader(FlightHeader &header) const;

private:
  const char *memory_ = nullptr;
  int file_ = -1;
  uint64_t bytes_ = 0;
};

/// Removes what processes have left of which no other of the job runs.
void sweepFlights();

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_FLIGHTFOLDER_H
