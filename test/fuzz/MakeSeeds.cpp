//===- MakeSeeds.cpp - small files to start fuzzing with ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// `blink_fuzz_seeds FOLDER` writes FOLDER/schedule and FOLDER/bundle, each with
// one file for each collective and shape, as small as possible and made without
// the compiler, and FOLDER/trace.
//
//===----------------------------------------------------------------------===//

#include "schedules/Collectives.h"
#include "schedules/PackedSchedule.h"
#include "schedules/SymmetricForm.h"
#include "schedules/trace/PerfettoTrace.h"
#include "test/common/BundleBuilder.h"
#include "test/common/SymmetricSchedules.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

using namespace blink;
using namespace blink::test;
namespace fs = std::filesystem;

static bool write(const fs::path &path, const std::vector<uint8_t> &bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char *>(bytes.data()),
            std::streamsize(bytes.size()));
  return out.good();
}

static bool writeSchedules(const fs::path &folder) {
  std::mt19937 random(1);
  for (Collective collective : sched::EnumValuesCollective()) {
    const std::string name = sched::EnumNameCollective(collective);
    if (!write(folder / (name + "-2.sched"),
               seal(makeSchedule(collective, 0, 2, {}))))
      return false;
    for (int variation = 0; variation < 3; ++variation) {
      TestSchedule schedule =
          variedSchedule(collective, variation, 4096, random);
      if (variation == 1)
        addWindows(schedule, random);
      if (!write(folder / (name + "-v" + std::to_string(variation) + ".sched"),
                 seal(schedule)))
        return false;
    }
  }
  return true;
}

static bool writeSymmetric(const fs::path &folder) {
  for (Collective collective :
       {Collective::allreduce, Collective::allgather, Collective::reducescatter,
        Collective::alltoall}) {
    const std::vector<uint8_t> full =
        seal(makeSymmetricSchedule(collective, 4, 1, 1, 1));
    std::string error;
    const sched::Schedule *file =
        sched::openSchedule(full.data(), full.size(), error);
    const auto form =
        file ? sched::symmetricFile(
                   *file, {{shiftBy(4, 2, 2), shiftBy(4, 1, 2)}}, error)
             : std::nullopt;
    if (!form || !sched::isSymmetric(form->bytes.data(), form->bytes.size()))
      return false;
    const std::string name = sched::EnumNameCollective(collective);
    if (!write(folder / (name + "-symmetric.sched"), form->bytes) ||
        !write(folder / (name + "-packed.sched"),
               sched::packSchedule(*sched::GetSchedule(form->bytes.data()))))
      return false;
  }
  return true;
}

static bool writeBundles(const fs::path &folder) {
  for (Collective collective : sched::kJointCollectives) {
    BundleOptions options;
    options.numGpus = 3;
    options.collectives = {collective};
    options.allocations = allAllocations(3);
    TestBundle bundle = makeBundle(options);
    const std::string name = sched::EnumNameCollective(collective);
    if (!write(folder / (name + ".sched"), seal(bundle)))
      return false;
    options.alike = false;
    if (!write(folder / (name + "-apart.sched"), seal(makeBundle(options))))
      return false;
  }
  BundleOptions options;
  options.numGpus = 4;
  options.collectives = {Collective::allreduce};
  options.allocations = {{0}, {0, 1}, {0, 2}};
  options.serverOf = {0, 0, 1, 1};
  return write(folder / "servers.sched", seal(makeBundle(options)));
}

/// Writes traces of a rank that sends two chunks to another one.
static bool writeTraces(const fs::path &folder) {
  sched::ReplayTrace trace;
  trace.ranks = {"rank 0", "rank 1"};
  trace.links = {"a -> b"};
  trace.variants = {
      {"broadcast", {{0, 1, {0}}}, {{{{0, {}, {0}}}}, {{{0, {0}, {}}}}}}};
  for (uint64_t chunk : {0, 1})
    for (uint32_t rank : {0u, 1u})
      trace.folds.push_back({rank, 0, 0, 0, chunk, 64, 10 * chunk + 5 * rank,
                             10 * chunk + 5 * rank + 3, 2, 0});
  const std::string bytes = sched::toPerfetto(trace);
  return write(folder / "pair.trace", {bytes.begin(), bytes.end()});
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: blink_fuzz_seeds FOLDER\n");
    return 2;
  }
  const fs::path folder = argv[1];
  fs::create_directories(folder / "schedule");
  fs::create_directories(folder / "bundle");
  fs::create_directories(folder / "trace");
  if (writeSchedules(folder / "schedule") &&
      writeSymmetric(folder / "schedule") && writeBundles(folder / "bundle") &&
      writeTraces(folder / "trace"))
    return 0;
  std::fprintf(stderr, "blink_fuzz_seeds: cannot write to %s\n", argv[1]);
  return 1;
}
