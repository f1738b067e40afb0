//===- Failures.cpp - emulated CUDA calls that fail -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/Failures.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <mutex>
#include <thread>
#include <vector>

namespace blink::test {
namespace {

struct Failure {
  std::string name;
  unsigned callsBefore;
  int error, device;
};
std::mutex failuresMutex;
std::vector<Failure> &failures() {
  static std::vector<Failure> list;
  return list;
}

} // namespace

void failCall(const std::string &name, unsigned n, int error, int device) {
  std::lock_guard<std::mutex> lock(failuresMutex);
  failures().push_back({name, n, error, device});
}

unsigned failuresLeft() {
  std::lock_guard<std::mutex> lock(failuresMutex);
  return unsigned(failures().size());
}

static int takeFailure(const char *name, int device) {
  std::lock_guard<std::mutex> lock(failuresMutex);
  for (Failure &failure : failures()) {
    if (failure.name != name ||
        (failure.device >= 0 && failure.device != device))
      continue;
    if (failure.callsBefore-- != 0)
      continue;
    const int error = failure.error;
    failures().erase(failures().begin() + (&failure - failures().data()));
    return error;
  }
  return 0;
}

int failureOf(const char *name, int device) {
  const int error = takeFailure(name, device);
  if (error == kDies)
    raise(SIGKILL);
  if (error != kIsLate)
    return error;
  std::this_thread::sleep_for(std::chrono::seconds(3));
  return 0;
}

} // namespace blink::test
