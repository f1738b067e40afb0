//===- VariantChoiceTest.cpp ------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// For messages of every size, the variant that serves them takes nearly the
// least time of all variants, as predicted from the file alone: by the model of
// time or, where the model says otherwise, in simulations. The code that chose
// the borders between variants has no part in this test.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/ClassCompiler.h"
#include "compiler/generate/Generate.h"
#include "compiler/report/PredictedTime.h"
#include "compiler/report/Summary.h"
#include "compiler/simulate/ShortTimes.h"
#include "compiler/target/FoldProgramFile.h"
#include "schedules/ChunkSize.h"
#include "schedules/ScheduleFile.h"
#include "test/unit/driver/CompileFile.h"
#include "test/unit/topology/TestTopology.h"

#include "doctest/doctest.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <optional>

using namespace blink;
using namespace blink::test;

namespace {

constexpr double kMost = 1.05;
constexpr Collective kCollectives[] = {
    Collective::allreduce,     Collective::broadcast, Collective::reduce,
    Collective::allgather,     Collective::gather,    Collective::scatter,
    Collective::reducescatter, Collective::alltoall};

/// Returns the powers of two from 8 B to 4 GiB.
std::vector<uint64_t> powersOfTwo() {
  std::vector<uint64_t> sizes;
  for (uint64_t size = 8; size <= uint64_t(4) << 30; size *= 2)
    sizes.push_back(size);
  return sizes;
}

/// The variants of a program and their times.
class Choices {
public:
  Choices(const sched::Schedule &file, const sched::Program &program)
      : variants_(*program.variants()) {
    for (const sched::Variant *variant : variants_) {
      models_.push_back(modelTime(file, program, *variant));
      programs_.push_back(readProgram(file, program, *variant));
    }
  }

  /// For a message of `bytes`, returns the time of the variant that serves it,
  /// divided by the least time of all variants: by the model or, if that is
  /// more than `most`, in simulations.
  double overBest(uint64_t bytes, double most) const {
    const double ratio = partOf(
        bytes, [&](unsigned variant) { return models_[variant].at(bytes); });
    return ratio <= most ? ratio : partOf(bytes, [&](unsigned variant) {
      const sched::Variant &of = *variants_.Get(variant);
      return valueOf(shortTime(programs_[variant], sched::chunksOf(of), bytes,
                               of.protocol()));
    });
  }

  /// Returns the simulated time of the variant that serves messages of `bytes`.
  double simulated(uint64_t bytes) const {
    for (unsigned i = 0; i < variants_.size(); ++i)
      if (bytes < variants_.Get(i)->max_bytes())
        return valueOf(shortTime(programs_[i],
                                 sched::chunksOf(*variants_.Get(i)), bytes,
                                 variants_.Get(i)->protocol()));
    return 0;
  }

private:
  template <typename TimeOf>
  double partOf(uint64_t bytes, TimeOf timeOf) const {
    double best = std::numeric_limits<double>::infinity(), own = best;
    for (unsigned i = 0; i < variants_.size(); ++i) {
      const double time = timeOf(i);
      best = std::min(best, time);
      if (bytes >= variants_.Get(i)->min_bytes() &&
          bytes < variants_.Get(i)->max_bytes())
        own = time;
    }
    return own / best;
  }

  const flatbuffers::Vector<flatbuffers::Offset<sched::Variant>> &variants_;
  std::vector<MessageTime> models_;
  std::vector<FoldProgram> programs_;
};

/// Returns the schedule in `bytes`, which must be a good one.
const sched::Schedule *opened(const std::vector<uint8_t> &bytes) {
  std::string error;
  const sched::Schedule *file =
      sched::openSchedule(bytes.data(), bytes.size(), error);
  REQUIRE_MESSAGE(file, error);
  return file;
}

void checkFile(const std::vector<uint8_t> &bytes, double most = kMost) {
  const sched::Schedule *file = opened(bytes);
  for (const sched::Program *program : *file->programs()) {
    CAPTURE(summarize(*file, *program).gpuList());
    CAPTURE(toString(program->collective()).str());
    CAPTURE(program->root());
    const Choices choices(*file, *program);
    std::vector<uint64_t> sizes = powersOfTwo();
    // SmallVariants.cpp explains why these sizes are not compared.
    if (isRouted(program->collective()))
      llvm::erase_if(sizes,
                     [](uint64_t size) { return size >= sched::kDirectBytes; });
    for (const uint64_t size : sizes) {
      const double ratio = choices.overBest(size, most);
      CHECK_MESSAGE(ratio <= most, formatBytes(size)
                                       << " take " << ratio
                                       << " times as long as by the best");
    }
    // Between powers of two the time may be a little longer, since the compiler
    // compares sizes a quarter apart. No variant is useless.
    for (const sched::Variant *variant : *program->variants()) {
      uint64_t first = variant->min_bytes();
      if (isRouted(program->collective()) && first >= sched::kDirectBytes)
        continue;
      std::vector<uint64_t> ends{first, first + 1, first + first / 9};
      if (variant->max_bytes() < ~uint64_t(0))
        ends.push_back(variant->max_bytes() - 1);
      for (const uint64_t end : ends)
        CHECK(choices.overBest(end, 1.2) <= 1.2);
      CHECK(choices.overBest(first, 1) == 1);
    }
  }
}

} // namespace

TEST_CASE("every size takes nearly the best variant") {
  struct Machine {
    const char *name;
    std::vector<std::vector<int>> allocations; ///< none: all GPUs
  };
  const Machine machines[] = {
      {"a100-nv4", {{0, 1}, {0, 1, 2}, {}}},
      {"dgx-a100", {{0, 1}, {0, 1, 2}, {0, 1, 2, 3}, {0, 2, 3, 5, 7}, {}}},
      {"dgx-h100", {{0, 1}, {0, 1, 2}, {0, 1, 2, 3}, {0, 2, 3, 5, 7}, {}}},
      {"dgx1",
       {{0, 1}, {0, 5}, {0, 1, 4}, {1, 4, 5, 6}, {0, 2, 3, 5, 6, 7}, {}}},
      {"dgx1p", {{0, 3}, {5, 0}, {0, 1, 4}, {1, 4, 5, 6}, {0, 1, 2, 3, 7}, {}}},
      {"dgx2",
       {{0, 1}, {0, 1, 2}, {0, 5, 10, 15}, {0, 2, 3, 5, 7, 11, 13}, {}}},
      {"mi250", {{0, 1}, {0, 1, 4}, {0, 1, 4, 5}, {0, 1, 2, 4, 5, 6, 7}, {}}},
      {"pcie-8gpu", {{0, 1}, {0, 1, 4}, {0, 1, 4, 5}, {0, 1, 2, 4, 7}, {}}},
  };
  for (const Machine &shipped : machines) {
    CAPTURE(shipped.name);
    Topology topology = shippedTopology(shipped.name);
    for (const std::vector<int> &gpus : shipped.allocations)
      for (Collective collective : kCollectives) {
        CompileOptions options;
        options.collective = collective;
        options.gpus = gpus;
        // The last rank is the root, so that roots of different kinds occur.
        options.root = gpus.size() > 2 ? static_cast<int>(gpus.size()) - 1 : 0;
        checkFile(compileFile(topology, options));
      }
  }
}

TEST_CASE("also where lanes, chunks, trees or links are others") {
  Topology topology = shippedTopology("dgx1");
  for (Collective collective : kCollectives) {
    CompileOptions options;
    options.collective = collective;
    // In three lanes, times jump where messages have more chunks, and of two
    // variants one is faster in two ranges.
    for (unsigned lanes : {1, 3}) {
      options.maxLanes = lanes;
      checkFile(compileFile(topology, options), lanes == 3 ? 1.15 : kMost);
    }
    options.maxLanes = 16;
    options.chunkBytes = 32 << 10;
    checkFile(compileFile(topology, options));
    options.chunkBytes = 0;
    options.links = LinkKindSet(1); // nvlink
    options.slack = 0;
    checkFile(compileFile(topology, options));
    options.gpus = {0, 1, 5};
    options.relays = true;
    checkFile(compileFile(topology, options));
  }
}

TEST_CASE("also in bundles, where half of the trees are reversed") {
  Topology topology = shippedTopology("dgx1");
  CompileOptions options;
  options.gpus = {1, 4, 5, 6, 7};
  auto compiler = valueOf(ClassCompiler::create(topology, options, {0, 3}));
  for (Collective collective : kCollectives)
    checkFile(valueOf(compiler->compile(collective)));
}

TEST_CASE("no size takes longer than in a file of one variant") {
  const std::vector<uint64_t> sizes = powersOfTwo();
  for (const char *name : {"dgx-h100", "dgx1", "mi250"}) {
    CAPTURE(name);
    Topology topology = shippedTopology(name);
    for (Collective collective : kCollectives) {
      CompileOptions options;
      options.collective = collective;
      std::vector<uint8_t> bytes[2];
      const sched::Schedule *files[2];
      std::vector<double> times[2];
      for (bool small : {false, true}) {
        options.smallVariant = small;
        bytes[small] = compileFile(topology, options);
        files[small] = opened(bytes[small]);
        times[small] = predictTimes(*files[small],
                                    *files[small]->programs()->Get(0), sizes);
      }
      // Estimates may be a few per cent off.
      for (size_t i = 0; i < sizes.size(); ++i)
        if (times[1][i] > kMost * times[0][i]) {
          auto simulated = [&](const sched::Schedule *file) {
            return Choices(*file, *file->programs()->Get(0))
                .simulated(sizes[i]);
          };
          CHECK(simulated(files[1]) <= kMost * simulated(files[0]));
        }
    }
  }
}

TEST_CASE("between servers, medium messages go over other trees") {
  struct Medium {
    const char *machine;
    int boxes, rails;
    Collective collective;
    uint64_t bytes;
    double faster; ///< than with a single variant, at least this factor
  };
  for (auto [machine, boxes, rails, collective, bytes, faster] :
       {Medium{"dgx-h100", 2, 8, Collective::allgather, 16 << 20, 1.25},
        Medium{"dgx-h100", 2, 8, Collective::reducescatter, 2 << 20, 1.15},
        Medium{"dgx-h100", 2, 8, Collective::allreduce, 4 << 20, 1.05},
        Medium{"mi250x", 8, 4, Collective::allgather, 256 << 10, 1.2}}) {
    CAPTURE(machine);
    const Topology pod = valueOf(generatePod(
        shippedTopology(machine), boxes, rails, {50, 2, LinkKind::network}));
    CAPTURE(toString(collective).str());
    CompileOptions options;
    options.collective = collective;
    std::vector<uint8_t> bytesOf[2];
    std::optional<Choices> choices[2];
    double rates[2];
    for (const bool small : {false, true}) {
      options.smallVariant = small;
      bytesOf[small] = compileFile(pod, options);
      const sched::Schedule *file = opened(bytesOf[small]);
      rates[small] = file->programs()->Get(0)->algbw();
      choices[small].emplace(*file, *file->programs()->Get(0));
    }
    CHECK(rates[1] == rates[0]);
    CHECK(choices[1]->simulated(bytes) * faster <=
          choices[0]->simulated(bytes));
    for (uint64_t size = 1 << 20; size <= 64 << 20; size *= 2)
      CHECK(choices[1]->simulated(size) <= kMost * choices[0]->simulated(size));
  }
}

TEST_CASE("few lanes of a rank have faster trees if there is slack") {
  struct Machine {
    const char *name;
    Collective collective;
    unsigned lanes;
    double faster; ///< for 64 MiB, at least this factor
  };
  for (auto [name, collective, lanes, faster] :
       {Machine{"gh200-4gpu", Collective::allgather, 4, 1.4},
        Machine{"mi250x", Collective::broadcast, 4, 1.2},
        Machine{"dgx1", Collective::allgather, 2, 1.04}}) {
    CAPTURE(name);
    CompileOptions options;
    options.collective = collective;
    options.maxLanes = lanes;
    double times[2];
    for (const bool exact : {false, true}) {
      if (exact)
        options.slack = 0;
      const std::vector<uint8_t> bytes =
          compileFile(shippedTopology(name), options);
      checkFile(bytes, 1.15);
      const sched::Schedule *file = opened(bytes);
      times[exact] =
          Choices(*file, *file->programs()->Get(0)).simulated(64 << 20);
    }
    CHECK(times[0] * faster <= times[1]);
  }
}
