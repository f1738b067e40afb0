//===- FlightFolder.h - the folder with the files of all jobs ---*- C++ -*-===//
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

/// Returns "/dev/shm/blink-flight.UID." of this user.
std::string flightPrefix();

/// Lists the files of this user by name, including any that this Blink cannot
/// read.
std::vector<std::string> listFlights();

/// Reads bytes of a file, or of memory of this process, while they change: no
/// word is torn. The read functions return false if there are not enough bytes.
class FlightSource {
public:
  /// Opens a regular file of the user, which may be truncated while it is read.
  explicit FlightSource(const std::string &path);
  explicit FlightSource(const char *memory) : memory_(memory) {}
  ~FlightSource();
  FlightSource(const FlightSource &) = delete;

  bool read(uint64_t offset, void *to, uint64_t bytes) const;
  /// Reads `count` records and keeps those that may be believed, as their first
  /// words tell (FlightPage.h).
  template <typename Record>
  bool readTwice(uint64_t offset, uint64_t count,
                 std::vector<Record> &records) const;
  /// Reads the header. Returns false if it is not a valid header, or the file
  /// is shorter than the header says.
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
    uint64_t first; // the first word of every record says whether it may be
                    // believed
    std::memcpy(&first, &records[i], sizeof(first));
    if (first != 0 && std::memcmp(&records[i], &again[i], sizeof(Record)) == 0)
      records[kept++] = records[i];
  }
  records.resize(kept);
  return true;
}

/// Removes the files of processes that have ended, if no other process of the
/// job runs.
void sweepFlights();

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_FLIGHTFOLDER_H
