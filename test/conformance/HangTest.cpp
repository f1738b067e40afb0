//===- HangTest.cpp - an error that explains a hang -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Comm.h"
#include "test/conformance/HangFolder.h"
#include "test/conformance/Job.h"

#include "doctest/doctest.h"

#include <atomic>
#include <csignal>
#include <cstdlib>

using namespace blink;
using namespace blink::test;

namespace {

blinkResult_t sumOf(blinkComm_t comm, size_t count) {
  int32_t in[8] = {}, out[8];
  return blinkAllReduce(in, out, count, blinkInt32, blinkSum, comm, nullptr);
}

bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("the error of a hang names the culprit, and a file has the picture") {
  const HangFolder folder;
  constexpr int kCulprit = 2;
  const Job job(makeSchedule(Collective::allreduce, 0, 4, {}), 4, 1000);
  const std::vector<blinkResult_t> results = job.onThreads([&](int rank) {
    const blinkResult_t first = sumOf(job[rank], 1);
    return rank == kCulprit ? first : sumOf(job[rank], 5);
  });
  for (int rank = 0; rank < 4; ++rank) {
    CHECK(results[size_t(rank)] ==
          (rank == kCulprit ? blinkSuccess : blinkRemoteError));
    if (rank == kCulprit)
      continue;
    const std::string text = blinkGetLastError(job[rank]);
    INFO(text);
    CHECK(contains(text, "; rank 2 has made 1 call, the others 2: it has not "
                         "called allreduce of 5 int32 with sum; "));
    CHECK(contains(text, "for rank 2"));
  }
  // Exactly one rank writes a file.
  const std::vector<std::string> files = folder.files();
  REQUIRE(files.size() == 1);
  CHECK(contains(files[0], "\"cause\":\"behind\",\"culprits\":[2]"));
  CHECK(contains(files[0], "{\"number\":2,\"collective\":\"allreduce\","
                           "\"count\":5,\"type\":\"int32\",\"operator\":"
                           "\"sum\""));
}

TEST_CASE("calls that differ leave a file, too") {
  const HangFolder folder;
  constexpr int kCulprit = 1;
  const Job job(makeSchedule(Collective::allreduce, 0, 3, {}), 3);
  const std::vector<blinkResult_t> results = job.onThreads(
      [&](int rank) { return sumOf(job[rank], rank == kCulprit ? 6 : 5); });
  for (blinkResult_t result : results)
    CHECK(result == blinkInvalidUsage);
  const std::vector<std::string> files = folder.files();
  REQUIRE(files.size() == 1);
  INFO(files[0]);
  // The third rank may not be in the call yet. Then both other ranks are named.
  CHECK((contains(files[0], "\"cause\":\"differs\",\"culprits\":[1]") ||
         contains(files[0], "\"cause\":\"differs\",\"culprits\":[0,1]") ||
         contains(files[0], "\"cause\":\"differs\",\"culprits\":[1,2]")));
}

TEST_CASE("a program that handles SIGUSR2 itself goes on to") {
  static std::atomic<int> heard{0};
  struct sigaction own{}, before{}, now{};
  own.sa_handler = [](int) { heard.fetch_add(1); };
  REQUIRE(sigaction(SIGUSR2, &own, &before) == 0);
  setenv("BLINK_HANG_SIGNAL", "1", 1);
  {
    const Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2);
    CHECK(sigaction(SIGUSR2, nullptr, &now) == 0);
    CHECK((now.sa_handler == own.sa_handler)); // a handler cannot be printed
    raise(SIGUSR2);
    CHECK(heard == 1);
  }
  unsetenv("BLINK_HANG_SIGNAL");
  sigaction(SIGUSR2, &before, nullptr);
}

TEST_CASE("no file where none is asked for, or none can be") {
  setenv("BLINK_HANG_DIR", "/nowhere/at/all", 1);
  const Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2, 50);
  CHECK(sumOf(job[0], 1) == blinkRemoteError);
  CHECK(contains(blinkGetLastError(job[0]), "rank 1 has made 0 calls"));
  unsetenv("BLINK_HANG_DIR");
}
