//===- LoadTest.cpp - loading the network's module beside other threads ---===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/network/Load.h"

#include "Nobody.h"

#include "doctest/doctest.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace blink::runtime;

namespace {

/// Returns the exit code of a process whose main thread allocates memory from
/// the system while another thread loads the module.
int loadWhileGrowing() {
  std::atomic<int> loaded{-1};
  std::thread other([&loaded] {
    Nobody client;
    std::unique_ptr<Transport> transport;
    const Status status = network::createLoaded({}, client, transport);
    loaded = status.ok() ? 0 : 2;
  });
  constexpr size_t kBytes = 1000;
  for (int more = 100000; loaded < 0 || more > 0; --more)
    if (void *memory = more > -200000 ? std::malloc(kBytes) : nullptr)
      std::memset(memory, 1, kBytes); // stays on the main thread's heap
  other.join();
  return loaded;
}

} // namespace

TEST_CASE("UCX is loaded while another thread takes memory") {
  // Before this was fixed, about every second process crashed.
  for (int i = 0; i < 8; ++i) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      alarm(20);
      _exit(loadWhileGrowing());
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
  CHECK(std::getenv("UCX_MEM_EVENTS") == nullptr);
}
