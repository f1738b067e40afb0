//===- PerfettoTraceTest.cpp - writing and reading traces -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A written trace is read back unchanged, files of several processes one after
// the other are one trace, and damaged ones are refused.
// test/lit/tools/perfetto.test checks what Perfetto makes of them.
//
//===----------------------------------------------------------------------===//

#include "schedules/trace/PerfettoTrace.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <random>

using namespace blink::sched;

namespace {

/// Returns two ranks, of which rank 0 sends chunks over channel 0 to rank 1.
ReplayTrace pair(uint64_t chunks) {
  ReplayTrace trace;
  trace.ranks = {"rank 0 (gpu0)", "rank 1 (gpu1)"};
  trace.links = {"gpu0 -> gpu1 (nvlink)"};
  TraceVariant variant;
  variant.name = "broadcast";
  variant.channels = {{0, 1, {0}}};
  variant.steps = {{{{5, {}, {0}}}}, {{{5, {0}, {}}}}};
  trace.variants = {variant};
  for (uint64_t chunk = 0; chunk < chunks; ++chunk) {
    const uint64_t begin = 1000 * chunk;
    trace.folds.push_back(
        {0, 0, 0, 0, chunk, 4096, begin, begin + 400, 600, 8192});
    trace.folds.push_back({1, 0, 0, 0, chunk, 4096, begin + 500, begin + 500,
                           uint64_t(1) << 40, 0});
  }
  return trace;
}

bool isSame(const TracedFold &a, const TracedFold &b) {
  return a.rank == b.rank && a.lane == b.lane && a.step == b.step &&
         a.variant == b.variant && a.chunk == b.chunk && a.bytes == b.bytes &&
         a.begin == b.begin && a.end == b.end && a.waited == b.waited &&
         a.moved == b.moved;
}

std::string textOf(const std::string &bytes) {
  ReplayTrace trace;
  return fromPerfetto(bytes, trace);
}

} // namespace

TEST_CASE("what was written reads back as the same") {
  const ReplayTrace trace = pair(100);
  const std::string bytes = toPerfetto(trace);
  CHECK(bytes == toPerfetto(trace));
  ReplayTrace again;
  REQUIRE(fromPerfetto(bytes, again) == "");
  REQUIRE(again.folds.size() == trace.folds.size());
  for (size_t i = 0; i < trace.folds.size(); ++i)
    CHECK(isSame(again.folds[i], trace.folds[i]));
  CHECK(again.ranks == trace.ranks);
  REQUIRE(again.variants.size() == 1);
  CHECK(again.variants[0].name == "broadcast");
  // These names say what a fold did.
  for (const char *text : {"tree 5 chunk 99", "lane 0", "GB/s", "waited_ns",
                           "gpu0 -> gpu1 (nvlink)"}) {
    CAPTURE(text);
    CHECK(bytes.find(text) != std::string::npos);
  }
}

TEST_CASE("steps that nobody describes, and ranks without a name") {
  ReplayTrace trace = pair(3);
  trace.variants.clear();
  trace.ranks.clear();
  const std::string bytes = toPerfetto(trace);
  CHECK(bytes.find("step 0 chunk 2") != std::string::npos);
  CHECK(bytes.find("rank 1") != std::string::npos);
  ReplayTrace again;
  CHECK(fromPerfetto(bytes, again) == "");
  CHECK(again.folds.size() == 6);
}

TEST_CASE("files of processes, one behind the other, are a trace") {
  const ReplayTrace whole = pair(10);
  std::string bytes;
  for (uint32_t rank : {0, 1}) {
    ReplayTrace part = whole;
    part.folds.clear();
    for (const TracedFold &fold : whole.folds)
      if (fold.rank == rank)
        part.folds.push_back(fold);
    bytes += toPerfetto(part);
  }
  ReplayTrace together;
  REQUIRE(fromPerfetto(bytes, together) == "");
  CHECK(together.folds.size() == whole.folds.size());
  CHECK(together.ranks == whole.ranks);
}

TEST_CASE("what is no trace is refused") {
  const std::string bytes = toPerfetto(pair(2));
  CHECK(textOf("").find("no fold") != std::string::npos);
  CHECK(textOf("{\"traceEvents\": []}").find("not a Perfetto trace") == 0);
  size_t refused = 0;
  for (size_t size = 1; size < bytes.size(); ++size)
    refused += textOf(bytes.substr(0, size)) != "";
  // A trace cut between packets is a shorter trace.
  CHECK(refused > bytes.size() * 9 / 10);
  CHECK(textOf(bytes.substr(0, bytes.size() - 1)).find("cut off") !=
        std::string::npos);
}

TEST_CASE("no bytes do harm") {
  const std::string bytes = toPerfetto(pair(4));
  std::mt19937 random(1);
  for (int trial = 0; trial < 20000; ++trial) {
    std::string changed = bytes;
    for (int change = 0; change < 1 + trial % 4; ++change)
      changed[random() % changed.size()] = static_cast<char>(random());
    ReplayTrace trace;
    if (fromPerfetto(changed, trace) == "")
      CHECK(trace.folds.size() <= 8);
  }
}
