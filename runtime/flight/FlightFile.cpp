//===- FlightFile.cpp - the recorders of a communicator -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/flight/FlightFile.h"

#include "runtime/Log.h"
#include "runtime/Mapping.h"
#include "runtime/flight/FlightFolder.h"
#include "runtime/flight/HangSignal.h"
#include "runtime/flight/Liveness.h"
#include "schedules/Hash.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace blink::runtime {

void FlightFile::goUnseen(int error) {
  log(LogLevel::info, -1, path_, ": ", std::strerror(error),
      ": other processes cannot see what this process does");
  path_.clear();
}

Status FlightFile::map(uint64_t bytes, Descriptor &file) {
  static std::atomic<int> made{0};
  // Relaxed: it only matters that numbers differ.
  // Processes of several namespaces may share the folder and a process id.
  path_ = flightPrefix() + std::to_string(pidNamespace()) + "." +
          std::to_string(getpid()) + "." +
          std::to_string(made.fetch_add(1, std::memory_order_relaxed));
  // The file gets its name only when its content is complete, so that a process
  // that is killed before leaves no file behind.
  file = Descriptor(open(kFlightFolder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));
  // The bytes are allocated now: if the folder were full, a later store would
  // end the process.
  int error = file ? posix_fallocate(file.get(), 0, off_t(bytes)) : errno;
  if (error == 0) {
    memory_ = mapFile(bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                      file.get());
    error = memory_ ? 0 : errno;
  }
  if (error == 0)
    return {};
  goUnseen(error);
  memory_ =
      mapFile(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (!memory_)
    return Status(blinkSystemError,
                  "no memory to record calls in: ", std::strerror(errno));
  return {};
}

/// Makes the memory accessible to devices. Memory that they cannot reach is
/// replaced by memory that other processes cannot read; the file then gets no
/// name.
Status FlightFile::openToDevices(const FlightPlan &plan, uint64_t bytes) {
  const char *const before = memory_.get();
  Status status = plan.open(memory_, bytes);
  if (status.ok() && memory_.get() != before)
    path_.clear();
  return status;
}

void FlightFile::publish(const Descriptor &file) {
  if (path_.empty())
    return;
  unlink(path_.c_str()); // left by a killed process with the same process id
  const std::string unnamed = "/proc/self/fd/" + std::to_string(file.get());
  if (linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path_.c_str(),
             AT_SYMLINK_FOLLOW) != 0)
    goUnseen(errno);
}

Status FlightFile::create(const FlightPlan &plan) {
  sweepFlights();
  takeHangSignal();
  FlightHeader header{};
  header.version = kFlightVersion;
  header.process = process_ = uint64_t(getpid());
  header.started = startOf(header.process);
  header.pidNamespace = pidNamespace();
  header.backend = uint64_t(plan.backend);
  header.numRanks = uint64_t(plan.numRanks);
  header.firstRank = uint64_t(plan.firstRank);
  header.numHere = uint64_t(plan.numHere);
  header.numLanes = plan.numLanes;
  header.numQueues =
      plan.queueLanes ? std::min(2 * header.numRanks, kMostQueues) : 0;
  header.queueLanes = plan.queueLanes;
  header.numCalls =
      header.numHere > kManyRanks ? kFewFlightCalls : kFlightCalls;
  devices_ = plan.open != nullptr;
  if (devices_) {
    header.numMessages = header.numQueues * kQueueCalls;
    header.numLaunches = kLaunches;
  } else if (header.numQueues != 0) {
    header.numMessages = header.numCalls;
  }
  header.timeout = plan.timeout;
  const FlightLayout layout(header);
  header.bytes = layout.offsetOf(header.numHere);
  Descriptor file;
  Status status = map(header.bytes, file);
  if (status.ok() && devices_)
    status = openToDevices(plan, header.bytes);
  if (!status.ok())
    return status;
  header.job =
      plan.id ? sched::hash64(plan.id->internal,
                              sizeof(plan.id->internal) - BLINK_UNIQUE_ID_SPARE)
              : sched::hash64(path_.data(), path_.size(), header.started);
  header.ticks = ticks();
  header.nanoseconds = wallTime();
  std::memcpy(memory_.get(), &header, sizeof(header));
  first_ = plan.firstRank;
  recorders_.reserve(header.numHere);
  for (uint64_t here = 0; here < header.numHere; ++here)
    recorders_.emplace_back(memory_.get() + layout.offsetOf(here), header,
                            layout);
  // Release: a reader that sees the magic number sees the whole header.
  storeRelease(&reinterpret_cast<FlightHeader *>(memory_.get())->magic,
               kFlightMagic);
  publish(file);
  return {};
}

uint64_t FlightFile::waitedFor(int rank, int peer) {
  const uint64_t length = of(rank).waitedFor(peer);
  if (devices_)
    return length;
  return TickScale(header().ticks, header().nanoseconds).length(length);
}

FlightFile::~FlightFile() {
  if (!path_.empty() && process_ == uint64_t(getpid()))
    unlink(path_.c_str());
}

} // namespace blink::runtime
