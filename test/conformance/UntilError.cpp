//===- UntilError.cpp - a rank that calls until a call fails --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// For tools/cluster-failures:
//
//   blink_until_error SCHEDULE RANKS RANK ID_FILE FLOATS
//
// Rank 0 writes the unique id to ID_FILE, which must not exist yet. Each rank
// prints "ready" after the first allreduce, and then the time and text of the
// error:
//
//   1234.567890 allreduce of 65536 float32 with sum: ...
//
// The time is that of CLOCK_MONOTONIC, which all namespaces share.
//
//===----------------------------------------------------------------------===//

#include "runtime/blink.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void say(const char *text) {
  std::printf("%s\n", text);
  std::fflush(stdout);
}

/// Writes the id to a temporary file and renames it, so that readers see it
/// whole.
bool writeId(const std::string &path, const blinkUniqueId &id) {
  const std::string part = path + ".part";
  FILE *file = std::fopen(part.c_str(), "wb");
  bool written = file && std::fwrite(&id, sizeof(id), 1, file) == 1;
  written = (!file || std::fclose(file) == 0) && written;
  return written && std::rename(part.c_str(), path.c_str()) == 0;
}

bool readId(const std::string &path, blinkUniqueId &id) {
  for (const double end = now() + 20; now() < end;) {
    if (FILE *file = std::fopen(path.c_str(), "rb")) {
      const bool got = std::fread(&id, sizeof(id), 1, file) == 1;
      std::fclose(file);
      return got;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 6) {
    say("usage: blink_until_error SCHEDULE RANKS RANK ID_FILE FLOATS");
    return 2;
  }
  const int ranks = std::atoi(argv[2]), rank = std::atoi(argv[3]);
  blinkUniqueId id;
  const bool got =
      rank == 0 ? blinkGetUniqueId(&id) == blinkSuccess && writeId(argv[4], id)
                : readId(argv[4], id);
  blinkSchedule_t schedule = nullptr;
  blinkComm_t comm = nullptr;
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  blinkResult_t result =
      got ? blinkScheduleOpen(argv[1], &schedule) : blinkSystemError;
  if (result == blinkSuccess)
    result = blinkCommInitRank(&comm, ranks, id, rank, -1, schedule, &config);
  std::vector<float> data(size_t(std::atol(argv[5])), 1.0f);
  std::vector<float> sum(data.size());
  for (bool first = true; result == blinkSuccess; first = false) {
    result = blinkAllReduce(data.data(), sum.data(), data.size(), blinkFloat32,
                            blinkSum, comm, nullptr);
    if (first && result == blinkSuccess)
      say("ready");
  }
  char text[32];
  std::snprintf(text, sizeof(text), "%.6f ", now());
  say((text + std::string(blinkGetLastError(comm))).c_str());
  blinkCommDestroy(comm);
  blinkScheduleClose(schedule);
  return 1;
}
