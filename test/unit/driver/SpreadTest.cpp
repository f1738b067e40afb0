//===- SpreadTest.cpp -------------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Whole schedules with enough lanes, with few lanes, and with one lane, for
// which no tree is split. They are verified (by the pipeline), have exactly the
// same rate, and no more lanes than allowed.
//
//===----------------------------------------------------------------------===//

#include "compiler/generate/Generate.h"
#include "compiler/report/PredictedTime.h"
#include "schedules/ScheduleFile.h"
#include "test/unit/driver/CompileFile.h"
#include "test/unit/topology/TestTopology.h"

#include <algorithm>
#include <random>

using namespace blink;
using namespace blink::test;

namespace {

struct Compiled {
  std::vector<uint8_t> bytes;
  const sched::Schedule *file;
  const sched::Program *program;
  const sched::Variant *large;

  size_t lanes() const {
    size_t most = 0;
    for (const sched::RankProgram *rank : *large->ranks())
      most = std::max<size_t>(most, rank->lanes()->size());
    return most;
  }
};

Compiled compile(const Topology &topology, CompileOptions options,
                 unsigned lanes) {
  options.maxLanes = lanes;
  Compiled compiled{compileFile(topology, options), nullptr, nullptr, nullptr};
  std::string error;
  compiled.file =
      sched::openSchedule(compiled.bytes.data(), compiled.bytes.size(), error);
  REQUIRE_MESSAGE(compiled.file, error);
  compiled.program = compiled.file->programs()->Get(0);
  const auto &variants = *compiled.program->variants();
  compiled.large = variants.Get(variants.size() - 1);
  return compiled;
}

/// Without slack, trees do not depend on lanes (SelectForLanes.h).
void checkLanes(const Topology &topology, CompileOptions options) {
  options.slack = 0;
  Compiled one = compile(topology, options, 1);
  for (unsigned lanes : {4, 16}) {
    Compiled more = compile(topology, options, lanes);
    CHECK(more.lanes() <= lanes);
    CHECK(more.program->algbw() == one.program->algbw());
    CHECK(more.program->certificate()->bound() ==
          one.program->certificate()->bound());
    CHECK(more.large->trees()->size() >= one.large->trees()->size());
    CHECK(
        modelTime(*more.file, *more.program, *more.large).at(kReferenceBytes) <=
        modelTime(*one.file, *one.program, *one.large).at(kReferenceBytes));
  }
}

} // namespace

TEST_CASE("trees over several lanes: shipped machines") {
  for (const char *name : {"a100-nv4", "dgx-h100", "dgx1", "dgx2", "mi250"})
    for (std::vector<int> gpus : {std::vector<int>{0, 1}, {}})
      for (Collective collective :
           {Collective::allreduce, Collective::broadcast, Collective::allgather,
            Collective::scatter, Collective::alltoall}) {
        CAPTURE(name);
        CAPTURE(gpus.size());
        CAPTURE(toString(collective).str());
        CompileOptions options;
        options.collective = collective;
        options.gpus = gpus;
        checkLanes(shippedTopology(name), options);
      }
}

TEST_CASE("trees over several lanes: random machines, and relays") {
  for (int trial = 0; trial < 12; ++trial) {
    CAPTURE(trial);
    std::mt19937 random(trial);
    int gpus = 3 + int(random() % 5), switches = int(random() % 3);
    int nodes = gpus + switches;
    int links = std::min(nodes * (nodes - 1) / 2, nodes + int(random() % 8));
    Wire wire;
    wire.bandwidth = 10 << trial % 5;
    CompileOptions options;
    options.collective = Collective(trial % 8);
    options.relays = trial % 2;
    if (options.relays)
      for (int gpu = 0; gpu < gpus - 1; ++gpu)
        options.gpus.push_back(gpu);
    Topology topology = valueOf(
        generateRandom(gpus, switches, links, trial, /*directed=*/false, wire));
    checkLanes(topology, options);
  }
}
