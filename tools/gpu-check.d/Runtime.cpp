//===- Runtime.cpp - times of Blink's calls -------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/gpu-check.d/Runtime.h"

#include <chrono>
#include <memory>
#include <stdexcept>

namespace blink::gpubench {
double msSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin)
      .count();
}

void Ranks::require(blinkResult_t result, const char *what) {
  if (result == blinkSuccess)
    return;
  throw std::runtime_error(std::string(what) + ": " +
                           blinkGetErrorString(result) + ": " +
                           blinkGetLastError(nullptr));
}

Ranks::Ranks(const std::string &path) {
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.backend = blinkBackendCuda;
  try {
    Clock::time_point begin = Clock::now();
    require(blinkScheduleOpen(path.c_str(), &schedule_),
            "cannot open the schedule");
    openMs_ = msSince(begin);
    int ranks = 0;
    require(blinkScheduleRanks(schedule_, &ranks), "cannot read the schedule");
    const std::vector<int> devices(size_t(ranks), 0);
    comms_.resize(size_t(ranks));
    begin = Clock::now();
    require(blinkCommInitAll(comms_.data(), ranks, devices.data(), schedule_,
                             &config),
            "cannot make communicators");
    initMs_ = msSince(begin);
  } catch (...) {
    close();
    throw;
  }
}

Ranks::~Ranks() { close(); }

void Ranks::close() {
  for (blinkComm_t comm : comms_)
    blinkCommDestroy(comm);
  blinkScheduleClose(schedule_);
}

void Ranks::allreduce(const void *send, void *recv, size_t bytes,
                      cudaStream_t stream) {
  require(blinkGroupStart(), "cannot begin a group");
  for (size_t rank = 0; rank < comms_.size(); ++rank)
    blinkAllReduce(static_cast<const char *>(send) + rank * bytes,
                   static_cast<char *>(recv) + rank * bytes, bytes / 4,
                   blinkFloat32, blinkSum, comms_[rank],
                   reinterpret_cast<blinkStream_t>(stream));
  // It returns the error of a refused call.
  require(blinkGroupEnd(), "an allreduce failed");
}

void Ranks::check() {
  for (blinkComm_t comm : comms_) {
    blinkResult_t result = blinkSuccess;
    require(blinkCommGetAsyncError(comm, &result), "a communicator failed");
    require(result, "an allreduce failed on the GPU");
  }
}

CallTimes timeAllReduce(Device &device, Ranks &ranks, size_t bytes, int times) {
  const size_t each = bytes * size_t(ranks.size());
  const Memory send = allocate(each, 0), recv = allocate(each, 0);
  const auto call = [&](cudaStream_t stream) {
    ranks.allreduce(send.get(), recv.get(), bytes, stream);
  };
  CallTimes result;
  result.launch = device.andWait(times, call);
  result.graph = device.graphAndWait(times, call);
  ranks.check();
  return result;
}

} // namespace blink::gpubench
