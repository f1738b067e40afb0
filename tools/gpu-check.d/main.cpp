//===- main.cpp - blink-gpu-bench -----------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Measures what a schedule on a GPU is compared with. Prints one JSON object
// when all measurements are done, and nothing else.
//
//===----------------------------------------------------------------------===//

#include "schedules/Text.h"
#include "tools/gpu-check.d/Device.h"
#include "tools/gpu-check.d/Folds.h"
#include "tools/gpu-check.d/Kernels.h"
#include "tools/gpu-check.d/Lanes.h"
#include "tools/gpu-check.d/Queues.h"
#include "tools/gpu-check.d/Runtime.h"
#include "tools/gpu-check.d/Traffic.h"

#include <cstdio>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <string>

namespace blink::gpubench {
namespace {

constexpr char kHelp[] =
    R"(blink-gpu-bench measures a GPU, and how Blink starts on it, for tools/gpu-check.sh.

  blink-gpu-bench copy BYTES           a copy on the device, by cudaMemcpyAsync and by a kernel
  blink-gpu-bench launch FILE.sched... launching an empty kernel and waiting for it, with one
                                       block and with the blocks of each variant's launch
  blink-gpu-bench lanes BYTES          a copy by one to all multiprocessors, in the way that lanes
                                       copy; the time of a load, a fence and an answer at system
                                       scope
  blink-gpu-bench folds BYTES          folds of lanes without their waits, of ranges of this size (a
                                       multiple of 2048), with more and fewer loads in flight
  blink-gpu-bench queues ROUNDS        how often kernels in 2 to 32 new streams do not run at the same
                                       time, between copies and between kernels that copy
  blink-gpu-bench calls FILE.sched [TIMES]
                                       an allreduce of 8 bytes to 32 KiB and waiting for it, the
                                       median of TIMES calls (200)
  blink-gpu-bench start FILE.sched     opening the schedule and creating communicators
  blink-gpu-bench traffic BYTES FILE.sched...
                                       the bytes that the folds of a call read and write, the
                                       blocks of its launch, and how evenly these bytes are
                                       distributed over the lanes of a rank, with zero copy and
                                       through slots; needs no GPU

All ranks are on GPU 0. Prints JSON. Exit code: 0 success, 1 a failure, 2 an invalid command line.
)";

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr int kWaits = 200; ///< timed launches of each kind

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// Returns "[a, b]" with the result of make() for each element.
template <typename List, typename Make>
std::string listOf(const List &list, const Make &make) {
  std::string text;
  for (const auto &element : list)
    text += (text.empty() ? "\n  " : ",\n  ") + make(element);
  return "[" + text + "]";
}

std::string copy(uint64_t bytes) {
  Device device;
  const CopyTimes times = timeCopies(device, size_t(bytes));
  return textOf("{\"bytes\": ", bytes,
                ", \"memcpy_us\": ", number(times.memcpy),
                ", \"kernel_us\": ", number(times.kernel), "}");
}

std::string launch(const std::vector<std::string> &files) {
  std::set<uint32_t> grids = {1};
  for (const std::string &file : files) {
    const runtime::Plan plan = planOf(file);
    for (const runtime::ProgramPlan &program : plan.programs)
      for (const runtime::VariantPlan &variant : program.variants)
        grids.insert(numBlocks(variant));
  }
  Device device;
  return "{\"grids\": " +
         listOf(grids,
                [&](uint32_t blocks) {
                  const Work work = [blocks](cudaStream_t stream) {
                    require(launchEmpty(blocks, stream),
                            "cannot start a kernel");
                  };
                  return textOf("{\"blocks\": ", blocks, ", \"launch_us\": ",
                                number(device.andWait(kWaits, work)),
                                ", \"graph_us\": ",
                                number(device.graphAndWait(kWaits, work)), "}");
                }) +
         "}";
}

std::string lanes(uint64_t bytes) {
  Device device;
  const std::string copies =
      listOf(timeLaneCopies(device, size_t(bytes)), [](const LaneTime &time) {
        const LaneShape &shape = time.shape;
        return textOf("{\"blocks\": ", shape.blocks,
                      ", \"threads\": ", shape.threads,
                      ", \"unroll\": ", shape.unroll,
                      ", \"store_bytes\": ", shape.storeBytes,
                      ", \"us\": ", number(time.us), "}");
      });
  const TurnTimes turns = timeTurns(device);
  return textOf("{\"bytes\": ", bytes, ", \"copies\": ", copies,
                ",\n \"acquire_ns\": ", number(turns.acquire),
                ", \"fence_ns\": ", number(turns.fence),
                ", \"stores_ns\": ", number(turns.stores),
                ", \"stores_and_fence_ns\": ", number(turns.storesAndFence),
                ", \"ping_pong_ns\": ", number(turns.pingPong), "}");
}

std::string folds(uint64_t bytes) {
  if (bytes % 2048 != 0 || bytes < 4096)
    throw UsageError("folds: the number of bytes is no multiple of 2048 from "
                     "4096 on");
  Device device;
  return textOf("{\"bytes\": ", bytes, ", \"folds\": ",
                listOf(timeFolds(device, size_t(bytes)),
                       [](const FoldTime &time) {
                         const FoldShape &shape = time.shape;
                         return textOf(
                             "{\"sources\": ", shape.sources,
                             ", \"destinations\": ", shape.destinations,
                             ", \"blocks\": ", shape.blocks,
                             ", \"stage_packs\": ", shape.stagePacks,
                             ", \"us\": ", number(time.us), "}");
                       }),
                "}");
}

std::string queues(uint32_t rounds) {
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", /*overwrite=*/0); // as the storm
  return "{\"queues\": " +
         listOf(countQueues(rounds),
                [](const QueueCount &count) {
                  return textOf(
                      "{\"streams\": ", count.streams,
                      ", \"copies\": ", count.copies ? "true" : "false",
                      ", \"rounds\": ", count.rounds,
                      ", \"failed\": ", count.failed, "}");
                }) +
         "}";
}

std::string calls(const std::string &file, int times) {
  const runtime::Plan plan = planOf(file);
  const runtime::ProgramPlan *program = nullptr;
  const runtime::Status status =
      plan.find(sched::Collective::allreduce, 0, program);
  if (!status.ok())
    throw std::runtime_error(status.text);
  Device device;
  Ranks ranks(file);
  std::vector<size_t> sizes;
  for (size_t bytes = 8; bytes <= (32 << 10); bytes *= 2)
    sizes.push_back(bytes);
  return textOf("{\"ranks\": ", ranks.size(), ", \"sizes\": ",
                listOf(sizes,
                       [&](size_t bytes) {
                         const CallTimes call =
                             timeAllReduce(device, ranks, bytes, times);
                         return textOf("{\"bytes\": ", bytes, ", \"blocks\": ",
                                       numBlocks(program->variantFor(bytes)),
                                       ", \"launch_us\": ", number(call.launch),
                                       ", \"graph_us\": ", number(call.graph),
                                       "}");
                       }),
                "}");
}

/// Times the start: the first one loads kernels, the others do not.
std::string start(const std::string &file) {
  constexpr int kAgain = 5;
  const Clock::time_point begin = Clock::now();
  require(cudaSetDevice(0), "cannot use the GPU");
  require(cudaFree(nullptr), "cannot make CUDA's context");
  const double context = msSince(begin);
  std::vector<double> open, init;
  int size = 0;
  for (int i = 0; i <= kAgain; ++i) {
    const Ranks ranks(file);
    open.push_back(ranks.openMs());
    init.push_back(ranks.initMs());
    size = ranks.size();
  }
  const auto object = [](double openMs, double initMs) {
    return "{\"open_ms\": " + number(openMs) +
           ", \"init_ms\": " + number(initMs) + "}";
  };
  return textOf("{\"ranks\": ", size, ", \"context_ms\": ", number(context),
                ", \"first\": ", object(open[0], init[0]), ", \"again\": ",
                object(median({open.begin() + 1, open.end()}),
                       median({init.begin() + 1, init.end()})),
                "}");
}

std::string trafficOf(const runtime::ProgramPlan &program, uint64_t bytes,
                      bool inPlace) {
  const Traffic sum = sumOf(countTraffic(program, bytes, inPlace, Reach::all));
  return textOf("{\"reads\": ", sum.reads, ", \"writes\": ", sum.writes, "}");
}

std::string balanceOf(const runtime::ProgramPlan &program, uint64_t bytes,
                      Reach reach) {
  const LaneBalance lanes =
      balanceOf(countTraffic(program, bytes, false, reach));
  return textOf("{\"moving\": ", lanes.moving, ", \"idle\": ", lanes.idle,
                ", \"fullest\": ", number(lanes.fullest), "}");
}

std::string traffic(uint64_t bytes, const std::vector<std::string> &files) {
  return textOf(
      "{\"bytes\": ", bytes, ", \"schedules\": ",
      listOf(files,
             [&](const std::string &file) {
               const runtime::Plan plan = planOf(file);
               const runtime::ProgramPlan &program = plan.programs[0];
               return textOf(
                   "{\"collective\": \"",
                   sched::EnumNameCollective(program.program->collective()),
                   "\", \"blocks\": ", numBlocks(program.variantFor(bytes)),
                   ", \"out_of_place\": ", trafficOf(program, bytes, false),
                   ", \"in_place\": ", trafficOf(program, bytes, true),
                   ",\n   \"lanes\": ", balanceOf(program, bytes, Reach::all),
                   ", \"lanes_slots\": ",
                   balanceOf(program, bytes, Reach::none), "}");
             }),
      "}");
}

uint64_t readBytes(const std::string &text) {
  char *end = nullptr;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || text[0] == '-' || *end != '\0' || value == 0 ||
      value % 16 != 0 || value > uint64_t(1) << 40)
    throw UsageError("'" + text +
                     "' is not a number of bytes, a multiple of 16");
  return value;
}

int readTimes(const std::string &text) {
  char *end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || value < 1 || value > 1000000)
    throw UsageError("'" + text + "' is not a number from 1 to 1000000");
  return int(value);
}

using Words = std::vector<std::string>;

struct Command {
  const char *name;
  size_t least, most; ///< number of arguments
  std::string (*run)(const Words &words);
};

const Command kCommands[] = {
    {"copy", 1, 1,
     [](const Words &words) { return copy(readBytes(words[0])); }},
    {"launch", 1, SIZE_MAX, launch},
    {"lanes", 1, 1,
     [](const Words &words) { return lanes(readBytes(words[0])); }},
    {"folds", 1, 1,
     [](const Words &words) { return folds(readBytes(words[0])); }},
    {"queues", 1, 1,
     [](const Words &words) { return queues(uint32_t(readTimes(words[0]))); }},
    {"calls", 1, 2,
     [](const Words &words) {
       return calls(words[0], words.size() == 2 ? readTimes(words[1]) : kWaits);
     }},
    {"start", 1, 1, [](const Words &words) { return start(words[0]); }},
    {"traffic", 2, SIZE_MAX,
     [](const Words &words) {
       return traffic(readBytes(words[0]), {words.begin() + 1, words.end()});
     }},
};

std::string measure(const std::string &what, const Words &words) {
  for (const Command &command : kCommands) {
    if (what != command.name)
      continue;
    if (words.size() < command.least || words.size() > command.most)
      throw UsageError(what + ": blink-gpu-bench --help lists the arguments");
    return command.run(words);
  }
  throw UsageError("no '" + what +
                   "'; blink-gpu-bench --help lists the commands");
}

int run(int argc, char **argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty())
    throw UsageError("see blink-gpu-bench --help");
  if (words[0] == "-h" || words[0] == "--help") {
    std::fputs(kHelp, stdout);
    return 0;
  }
  const std::string json = measure(words[0], {words.begin() + 1, words.end()});
  std::printf("%s\n", json.c_str());
  return 0;
}

} // namespace
} // namespace blink::gpubench

int main(int argc, char **argv) {
  try {
    return blink::gpubench::run(argc, argv);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "blink-gpu-bench: error: %s\n", error.what());
    return dynamic_cast<const blink::gpubench::UsageError *>(&error) ? 2 : 1;
  }
}
