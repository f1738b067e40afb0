//===- Replay.cpp - runs a schedule on real data and checks it ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/replay/Replay.h"

#include "schedules/ScheduleFile.h"
#include "tools/replay/ReplayBuffers.h"

#include <chrono>

namespace blink {
namespace {

bool iterate(const std::vector<blinkComm_t> &comms, ReplayBuffers &buffers,
             ReplayResult &result) {
  buffers.fill();
  auto start = std::chrono::steady_clock::now();
  blinkGroupStart();
  for (size_t rank = 0; rank < comms.size(); ++rank)
    buffers.call(int(rank), comms[rank]); // GroupEnd reports refused calls
  blinkResult_t code = blinkGroupEnd();
  result.seconds.push_back(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count());
  if (code != blinkSuccess) {
    result.error = blinkGetLastError(nullptr);
    return false;
  }
  buffers.check(result);
  return true;
}

} // namespace

ReplayResult replay(const std::vector<uint8_t> &file,
                    const sched::Program &program,
                    const ReplayOptions &options) {
  const int numPrograms = int(sched::numPrograms(program));
  ReplayBuffers buffers(program, options);
  ReplayResult result;
  result.bytes = buffers.bytes();
  result.error = buffers.refusal();
  if (!result.error.empty())
    return result;
  buffers.allocate(0, numPrograms);
  blinkSchedule_t schedule = nullptr;
  std::vector<blinkComm_t> comms(size_t(numPrograms), nullptr);
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.timeoutMs = options.timeoutMs;
  if (blinkScheduleOpenMemory(file.data(), file.size(), &schedule) !=
          blinkSuccess ||
      blinkCommInitAll(comms.data(), numPrograms, nullptr, schedule, &config) !=
          blinkSuccess) {
    result.error = blinkGetLastError(nullptr);
    blinkScheduleClose(schedule);
    return result;
  }
  for (int i = 0; i < options.iterations; ++i)
    if (!iterate(comms, buffers, result))
      break;
  for (blinkComm_t comm : comms)
    blinkCommDestroy(comm);
  blinkScheduleClose(schedule);
  return result;
}

} // namespace blink
