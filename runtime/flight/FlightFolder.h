//===- FlightFolder.h - where the files of all jobs are ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_FLIGHTFOLDER_H
#define BLINK_RUNTIME_FLIGHT_FLIGHTFOLDER_H

#include "runtime/flight/FlightPage.h"

#include <cstring>
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
  /// Those of so many records whose first words say that they may be believed
  /// (FlightPage.h).
  template <typename Record>
  bool readTwice(uint64_t offset, uint64_t count,
                 std::vector<Record> &records) const;
  /// The header, if it is one, and the file as long as it says.
  bool readHeader(FlightHeader &header) const;

private:
  const char *memory_ = nullptr;
  int file_ = -1;
  uint64_t bytes_ = 0;
};

template <typename Record>
bool FlightSource::readTwice(uint64_t offset, uint64_t count,
                             std::vector<Record> &records) const {
  records.resize(count);
  std::vector<Record> again(count);
  const uint64_t bytes = count * sizeof(Record);
  if (!read(offset, records.data(), bytes) ||
      !read(offset, again.data(), bytes))
    return false;
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t first; // of every record the word that counts
    std::memcpy(&first, &records[i], sizeof(first));
    if (first != 0 && std::memcmp(&records[i], &again[i], sizeof(Record)) == 0)
      records[kept++] = records[i];
  }
  records.resize(kept);
  return true;
}

/// Removes what processes have left of which no other of the job runs.
void sweepFlights();

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_FLIGHTFOLDER_H
