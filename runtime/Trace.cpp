//===- Trace.cpp - folds over time, for chrome://tracing ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/Trace.h"

#include "runtime/Log.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace blink::runtime {

std::string nextTraceFile() {
  static std::atomic<int> made{0};
  const char *text = std::getenv("BLINK_TRACE");
  if (!text || !*text)
    return "";
  std::string path = text;
  const size_t place = path.find("%p");
  if (place != std::string::npos)
    path.replace(place, 2, std::to_string(getpid()));
  // Relaxed: only that numbers differ matters.
  const int number = made.fetch_add(1, std::memory_order_relaxed);
  return number == 0 ? path : path + "." + std::to_string(number);
}

static void add(int rank, uint32_t lane, const LaneTrace &trace,
                std::string &events) {
  char line[300];
  const uint64_t kept = std::min<uint64_t>(trace.count, LaneTrace::kEvents);
  for (uint64_t i = 0; i < kept; ++i) {
    const TraceEvent &event = trace.events[i];
    // Times are in microseconds.
    std::snprintf(line, sizeof(line),
                  "%s{\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":%.3f,"
                  "\"dur\":%.3f,\"name\":\"step %u chunk %llu\","
                  "\"args\":{\"bytes\":%llu,\"waited_us\":%.3f,"
                  "\"moved\":%llu}}",
                  events.empty() ? "" : ",\n", rank, lane,
                  double(event.ready) * 1e-3,
                  double(event.end - event.ready) * 1e-3, event.step,
                  static_cast<unsigned long long>(event.chunk),
                  static_cast<unsigned long long>(event.bytes),
                  double(event.waited) * 1e-3,
                  static_cast<unsigned long long>(event.moved));
    events += line;
  }
  if (trace.count > kept)
    log(LogLevel::warn, rank, "trace: lane ", lane, " ran ", trace.count,
        " folds, the first ", kept, " are kept");
}

void writeTraces(
    const std::string &path, size_t numRanks, uint32_t numLanes,
    const std::function<const LaneTrace *(size_t rank, uint32_t lane)>
        &traceOf) {
  if (path.empty())
    return;
  std::string events;
  for (size_t rank = 0; rank < numRanks; ++rank)
    for (uint32_t lane = 0; lane < numLanes; ++lane)
      if (const LaneTrace *trace = traceOf(rank, lane))
        add(int(rank), lane, *trace, events);
  std::FILE *file = std::fopen(path.c_str(), "w");
  bool good = file != nullptr;
  if (file) {
    good = std::fprintf(file,
                        "{\"displayTimeUnit\":\"ns\",\"traceEvents\":["
                        "\n%s\n]}\n",
                        events.c_str()) > 0;
    good = std::fclose(file) == 0 && good;
  }
  if (!good)
    log(LogLevel::warn, -1,
        "trace: cannot write " + path + ": " + std::strerror(errno));
}

} // namespace blink::runtime
