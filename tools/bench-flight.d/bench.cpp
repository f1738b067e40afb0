//===- bench.cpp - the cost of notes of calls -----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//   bench WITH.so WITHOUT.so SCHEDULE MODE PAIRS
//
// Loads two libraries and times an allreduce of 8 bytes between two ranks, in
// batches that alternate between the libraries; the order within a pair changes
// with each pair. Prints the nanoseconds of a call in each batch, one line per
// pair. MODE is `threads`, a thread per rank; `group`, one thread that drives
// both; or `processes`.
//
//===----------------------------------------------------------------------===//

#include "blink.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

constexpr int kCalls = 2000; // per batch

void check(bool good, const char *what) {
  if (good)
    return;
  std::fprintf(stderr, "bench: %s failed\n", what);
  _exit(1);
}

/// A library with the communicators of both ranks, or of one.
class Side {
public:
  explicit Side(const char *library)
      : handle_(dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
    check(handle_, library);
  }

  template <typename F> F *find(const char *name) const {
    void *const found = dlsym(handle_, name);
    check(found, name);
    return reinterpret_cast<F *>(found);
  }

  blinkSchedule_t open(const char *path) const {
    blinkSchedule_t schedule = nullptr;
    check(find<decltype(blinkScheduleOpen)>("blinkScheduleOpen")(
              path, &schedule) == blinkSuccess,
          path);
    return schedule;
  }
  void initAll(const char *path) {
    prepare();
    check(find<decltype(blinkCommInitAll)>("blinkCommInitAll")(
              comms_, 2, nullptr, open(path), nullptr) == blinkSuccess,
          "blinkCommInitAll");
  }
  void initRank(const char *path, const blinkUniqueId &id, int rank) {
    prepare();
    check(find<decltype(blinkCommInitRank)>("blinkCommInitRank")(
              &comms_[rank], 2, id, rank, -1, open(path), nullptr) ==
              blinkSuccess,
          "blinkCommInitRank");
  }

  void call(int rank) {
    check(allReduce_(in_[rank], out_[rank], 2, blinkFloat32, blinkSum,
                     comms_[rank], nullptr) == blinkSuccess,
          "blinkAllReduce");
  }
  void callBoth() {
    groupStart_();
    call(0);
    call(1);
    check(groupEnd_() == blinkSuccess, "blinkGroupEnd");
  }

private:
  void prepare() {
    allReduce_ = find<decltype(blinkAllReduce)>("blinkAllReduce");
    groupStart_ = find<decltype(blinkGroupStart)>("blinkGroupStart");
    groupEnd_ = find<decltype(blinkGroupEnd)>("blinkGroupEnd");
  }

  void *handle_;
  decltype(blinkAllReduce) *allReduce_ = nullptr;
  decltype(blinkGroupStart) *groupStart_ = nullptr;
  decltype(blinkGroupEnd) *groupEnd_ = nullptr;
  blinkComm_t comms_[2] = {};
  alignas(64) float in_[2][16] = {}, out_[2][16] = {};
};

/// Runs batches of both sides in turn, in the thread that has `call`.
void measure(Side *sides, int pairs, const std::function<void(Side &)> &call,
             bool prints) {
  for (int pair = 0; pair < pairs; ++pair) {
    double took[2];
    for (int turn = 0; turn < 2; ++turn) {
      const int side = (pair + turn) % 2;
      for (int i = 0; i < kCalls / 10; ++i)
        call(sides[side]); // warms the caches again
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < kCalls; ++i)
        call(sides[side]);
      took[side] = std::chrono::duration<double, std::nano>(
                       std::chrono::steady_clock::now() - begin)
                       .count() /
                   kCalls;
    }
    if (prints)
      std::printf("%.2f %.2f\n", took[0], took[1]);
  }
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 6)
    return 2;
  const char *schedule = argv[3];
  const std::string mode = argv[4];
  const int pairs = std::atoi(argv[5]);
  Side sides[2] = {Side(argv[1]), Side(argv[2])};
  const auto rankCalls = [](int rank) {
    return [rank](Side &side) { side.call(rank); };
  };
  if (mode == "processes") {
    // Draws the ids before fork(), so that both processes have the same ones.
    blinkUniqueId ids[2];
    for (int side = 0; side < 2; ++side)
      check(sides[side].find<decltype(blinkGetUniqueId)>("blinkGetUniqueId")(
                &ids[side]) == blinkSuccess,
            "blinkGetUniqueId");
    const pid_t child = fork();
    const int rank = child == 0 ? 1 : 0;
    for (int side = 0; side < 2; ++side)
      sides[side].initRank(schedule, ids[side], rank);
    measure(sides, pairs, rankCalls(rank), rank == 0);
    if (child == 0)
      _exit(0);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }
  for (Side &side : sides)
    side.initAll(schedule);
  if (mode == "group") {
    measure(sides, pairs, [](Side &side) { side.callBoth(); }, true);
    return 0;
  }
  std::thread other([&] { measure(sides, pairs, rankCalls(1), false); });
  measure(sides, pairs, rankCalls(0), true);
  other.join();
  return 0;
}
