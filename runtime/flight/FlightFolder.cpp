//===- FlightFolder.cpp - the folder with the files of all jobs -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/flight/FlightFolder.h"

#include "runtime/core/Memory.h"
#include "runtime/flight/Liveness.h"

#include <algorithm>
#include <dirent.h>
#include <fcntl.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace blink::runtime {

std::string flightPrefix() {
  return std::string(kFlightFolder) + "/blink-flight." +
         std::to_string(getuid()) + ".";
}

std::vector<std::string> listFlights() {
  std::vector<std::string> paths;
  DIR *folder = opendir(kFlightFolder);
  if (!folder)
    return paths;
  const std::string prefix = flightPrefix();
  while (const dirent *entry = readdir(folder)) {
    std::string path = std::string(kFlightFolder) + "/" + entry->d_name;
    if (path.compare(0, prefix.size(), prefix) == 0)
      paths.push_back(std::move(path));
  }
  closedir(folder);
  std::sort(paths.begin(), paths.end());
  return paths;
}

FlightSource::FlightSource(const std::string &path)
    : file_(
          open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {
  struct stat status{};
  if (file_ >= 0 && fstat(file_, &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_uid == getuid())
    bytes_ = uint64_t(status.st_size);
}

FlightSource::~FlightSource() {
  if (file_ >= 0)
    close(file_);
}

bool FlightSource::read(uint64_t offset, void *to, uint64_t bytes) const {
  if (!memory_)
    // The kernel copies aligned words as a whole. If the file was truncated,
    // pread returns fewer bytes, whereas mapped memory would end this process.
    return bytes_ >= bytes && offset <= bytes_ - bytes &&
           pread(file_, to, bytes, off_t(offset)) == ssize_t(bytes);
  const auto *words = reinterpret_cast<const uint64_t *>(memory_ + offset);
  for (uint64_t i = 0; i < bytes / sizeof(uint64_t); ++i)
    // Acquire: keeps this order (FlightPage.h).
    static_cast<uint64_t *>(to)[i] = loadAcquire(words + i);
  return true;
}

bool FlightSource::readHeader(FlightHeader &header) const {
  if (!read(0, &header, sizeof(header)) || header.magic != kFlightMagic ||
      header.version != kFlightVersion || header.numRanks > kMostInFlight ||
      header.numHere == 0 || header.numHere > header.numRanks ||
      header.firstRank > header.numRanks - header.numHere ||
      header.numLanes > kMostInFlight || header.numQueues > kMostQueues ||
      header.queueLanes > kMostInFlight || header.numCalls == 0 ||
      header.numCalls > kFlightCalls || header.numLaunches > kLaunches ||
      header.numMessages > std::max(kFlightCalls, kMostQueues * kQueueCalls))
    return false;
  const FlightLayout layout(header);
  return header.bytes == layout.offsetOf(header.numHere) &&
         (memory_ || header.bytes <= bytes_);
}

void sweepFlights() {
  const std::vector<std::string> paths = listFlights();
  std::set<uint64_t> live;
  std::vector<std::pair<std::string, uint64_t>> left;
  for (const std::string &path : paths) {
    FlightHeader header;
    // A file that cannot be read is from another version of Blink.
    if (!FlightSource(path).readHeader(header))
      continue;
    if (livenessOf(header.process, header.started, header.pidNamespace) ==
        Liveness::dead)
      left.emplace_back(path, header.job);
    else
      live.insert(header.job);
  }
  for (const auto &[path, job] : left)
    if (live.count(job) == 0)
      unlink(path.c_str());
}

} // namespace blink::runtime
