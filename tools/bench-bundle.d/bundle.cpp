//===- bundle.cpp - times of opening and using a bundle -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// To be run by hand, on a quiet machine, as docs/performance.md describes:
//
//   ./bundle                       a bundle that is made up: 247 allocations of
//                                  8 GPUs, each a class, 8 collectives, 5 trees
//   ./bundle FILE GPU,GPU,...      a bundle and the job's GPUs
//
// Prints microseconds, least and median of 301 rounds, of the following:
// opening the file; opening and checking the pieces of the allocation; making
// the whole plan of a job, including the pieces; blinkCommInitAll on the host
// back end, including the plan; and destroying the communicators. The file's
// pages are in memory.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Plan.h"
#include "schedules/Collectives.h"
#include "test/common/BundleBuilder.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace blink;

namespace {

void fail(const std::string &text) {
  std::fprintf(stderr, "bundle: %s\n", text.c_str());
  std::exit(1);
}

void writeMadeUp(const char *path) {
  test::BundleOptions options;
  options.numGpus = 8;
  for (test::Collective collective : sched::kJointCollectives)
    options.collectives.push_back(collective);
  for (const test::Numbers &gpus : test::allAllocations(options.numGpus))
    if (gpus.size() > 1)
      options.allocations.push_back(gpus);
  options.alike = false;
  options.layout.treesPerBlock = 5;
  options.layout.lanes = 16;
  options.layout.chunkBytes = 128 << 10;
  options.layout.seed = 3;
  const std::vector<uint8_t> bytes = test::seal(test::makeBundle(options));
  std::FILE *file = std::fopen(path, "wb");
  if (!file || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size())
    fail("cannot write");
  std::fclose(file);
}

template <typename Body> void time(const char *what, Body body) {
  std::vector<double> times;
  for (int round = 0; round < 301; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    times.push_back(std::chrono::duration<double, std::micro>(
                        std::chrono::steady_clock::now() - begin)
                        .count());
  }
  std::sort(times.begin(), times.end());
  std::printf("%-40s %10.1f %10.1f\n", what, times[0], times[50]);
}

void check(const runtime::Status &status) {
  if (!status.ok())
    fail(status.text);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 1 && argc != 3)
    fail("bundle [FILE GPU,GPU,...]");
  const std::string path =
      argc == 1 ? "/tmp/bundle-" + std::to_string(std::rand()) + ".sched"
                : argv[1];
  if (argc == 1)
    writeMadeUp(path.c_str());
  std::vector<int> gpus;
  const std::string list = argc == 1 ? "3,1,0,2,7,5,6,4" : argv[2];
  for (size_t at = 0; at < list.size(); at = list.find(',', at) + 1) {
    gpus.push_back(std::atoi(&list[at]));
    if (list.find(',', at) == std::string::npos)
      break;
  }
  const int ranks = int(gpus.size());
  runtime::ScheduleSet files(1);
  check(runtime::OpenFile::read(path.c_str(), files[0]));
  if (files[0]->schedule())
    fail(path + " is not a bundle");
  const sched::BundleView &view = files[0]->bundle();
  runtime::ProgramLookup lookup;
  check(runtime::lookUpPrograms(files, ranks, {gpus, ""}, lookup));
  runtime::Plan plan;
  check(runtime::Plan::create(files, ranks, {gpus, ""}, plan));
  std::printf(
      "%u classes, %u allocations, index %zu bytes, pieces %zu bytes\n",
      view.index->classes()->size(), view.index->entries()->size(),
      size_t(view.pieces - reinterpret_cast<const uint8_t *>(view.index)),
      size_t(view.piecesBytes));
  test::Numbers sorted(gpus.begin(), gpus.end());
  std::sort(sorted.begin(), sorted.end());
  size_t bytes = 0;
  for (const sched::Piece *piece :
       *view.index->classes()
            ->Get(sched::findEntry(view, 0, sorted)->class_number())
            ->pieces())
    bytes += piece->size();
  std::printf("GPUs %s: %zu programs, their pieces %zu bytes\n", list.c_str(),
              lookup.programs.size(), bytes);
  std::printf("%-40s %10s %10s\n", "us", "least", "median");
  time("open", [&] {
    runtime::ScheduleSet fresh(1);
    check(runtime::OpenFile::read(path.c_str(), fresh[0]));
  });
  time("choose, check pieces", [&] {
    runtime::ProgramLookup one;
    check(runtime::lookUpPrograms(files, ranks, {gpus, ""}, one));
  });
  time("choose, check pieces, plan", [&] {
    runtime::Plan one;
    check(runtime::Plan::create(files, ranks, {gpus, ""}, one));
  });
  blinkSchedule_t schedule = nullptr;
  if (blinkScheduleOpen(path.c_str(), &schedule) != blinkSuccess)
    fail(blinkGetLastError(nullptr));
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.gpus = gpus.data();
  time("make and destroy communicators", [&] {
    std::vector<blinkComm_t> comms(gpus.size());
    if (blinkCommInitAll(comms.data(), ranks, nullptr, schedule, &config) !=
        blinkSuccess)
      fail(blinkGetLastError(nullptr));
    for (blinkComm_t comm : comms)
      blinkCommDestroy(comm);
  });
  blinkScheduleClose(schedule);
  if (argc == 1)
    std::remove(path.c_str());
}
