//===- TuningTest.cpp - a file's numbers that affect speed ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/ScheduleTuning.h"
#include "test/common/ScheduleBuilder.h"

#include "doctest/doctest.h"

using namespace blink;
using namespace blink::test;

namespace {

/// Returns two programs, one with three variants and one with a single variant.
TestSchedule makeTunable() {
  TestSchedule model = makeSchedule(Collective::allreduce, 0, 4, {});
  TestProgram &first = model.programs[0];
  first.variants.resize(3, first.variants[0]);
  const uint64_t starts[] = {0, 1000, 1 << 20, ~uint64_t(0)};
  for (size_t v = 0; v < 3; ++v) {
    first.variants[v].minBytes = starts[v];
    first.variants[v].maxBytes = starts[v + 1];
    first.variants[v].chunks.bytes = uint32_t(16 << v);
    first.variants[v].times = {{0, double(v)}, {1000, 10}}; // not of its range
  }
  TestSchedule other = makeSchedule(Collective::broadcast, 1, 4, {});
  model.programs.push_back(other.programs[0]);
  model.settings = {{"collective", "all"}, {"tuned", "host"}};
  return model;
}

const sched::Schedule &open(const std::vector<uint8_t> &bytes) {
  std::string error;
  const sched::Schedule *file =
      sched::openSchedule(bytes.data(), bytes.size(), error);
  CAPTURE(error);
  REQUIRE(file);
  return *file;
}

} // namespace

TEST_CASE("a tuning is read, and written back it gives the same bytes") {
  const std::vector<uint8_t> bytes = seal(makeTunable());
  const sched::FileTuning tuning = sched::tuningOf(open(bytes));
  CHECK(tuning ==
        sched::FileTuning{{{0, 16}, {1000, 32}, {1 << 20, 64}}, {{0, 4096}}});
  CHECK(sched::setTuning(bytes, tuning, "host") == bytes);
}

TEST_CASE("a tuning changes what it says and nothing else") {
  TestSchedule model = makeTunable();
  const std::vector<uint8_t> bytes = seal(model);
  const sched::FileTuning tuning = {
      {{0, 48}, {1, 64 << 20}, {~uint64_t(0) - 1, 16}}, {{0, 512}}};
  // Names of the same length, so that even the order of bytes is that of a file
  // written this way.
  std::vector<uint8_t> tuned = sched::setTuning(bytes, tuning, "cuda");
  model.settings.back().value = "cuda";
  for (size_t p = 0; p < tuning.size(); ++p)
    for (size_t v = 0; v < tuning[p].size(); ++v) {
      TestVariant &variant = model.programs[p].variants[v];
      variant.minBytes = tuning[p][v].minBytes;
      variant.chunks.bytes = tuning[p][v].chunkBytes;
      if (v + 1 < tuning[p].size())
        variant.maxBytes = tuning[p][v + 1].minBytes;
    }
  CHECK(tuned == seal(model));
  CHECK(sched::tuningOf(open(tuned)) == tuning);

  // Names of any other length, and then again in the result.
  for (size_t length = 0; length < 40; ++length) {
    const std::string name(length, 'x');
    tuned = sched::setTuning(tuned, tuning, name);
    const sched::Schedule &file = open(tuned);
    CHECK(file.provenance()->tuned()->str() == name);
    CHECK(file.provenance()->compiler()->str() == "test");
    CHECK(sched::toString(sched::settingsOf(*file.provenance())) ==
          "collective=all" + (name.empty() ? "" : " tuned=" + name));
    CHECK(sched::tuningOf(file) == tuning);
  }
}

TEST_CASE("a tuning against the rules is refused when it is opened") {
  const std::vector<uint8_t> bytes = seal(makeTunable());
  const auto errorOf = [&](size_t v, sched::VariantTuning wrong) {
    sched::FileTuning tuning = sched::tuningOf(open(bytes));
    tuning[0][v] = wrong;
    const std::vector<uint8_t> tuned = sched::setTuning(bytes, tuning, "");
    std::string error;
    CHECK(!sched::openSchedule(tuned.data(), tuned.size(), error));
    return error;
  };
  CHECK(errorOf(1, {0, 16})
            .find("variants[0].max_bytes: the range of sizes is "
                  "empty") != std::string::npos);
  CHECK(errorOf(1, {2 << 20, 16}).find("variants[1].max_bytes") !=
        std::string::npos);
  CHECK(errorOf(2, {~uint64_t(0), 16}).find("variants[2].max_bytes") !=
        std::string::npos);
  CHECK(errorOf(1, {1000, 24}).find("chunk_bytes: 24") != std::string::npos);
}
