//===- main.cpp - a performance test like nccl-tests ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Structured like nccl-tests: threads with several GPUs each call collectives
// of growing sizes, out of place and in place, eagerly or from graphs. Each
// result is compared with what this program computes itself. It knows CUDA and
// NCCL, and nothing of Blink. Exit code 1: a result is wrong; 2: a call failed.
//
//===----------------------------------------------------------------------===//

#include "test/nccl-programs/Ranks.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

using namespace perf;

namespace {

/// A barrier of all threads.
class Meeting {
public:
  explicit Meeting(int threads) : threads_(threads) {}
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    const int turn = turn_;
    if (++here_ == threads_) {
      here_ = 0;
      ++turn_;
      all_.notify_all();
      return;
    }
    all_.wait(lock, [&] { return turn_ != turn; });
  }

private:
  const int threads_;
  int here_ = 0, turn_ = 0;
  std::mutex mutex_;
  std::condition_variable all_;
};

/// State that the threads share.
struct Shared {
  explicit Shared(const Options &options)
      : options(options), meeting(options.threads) {}

  const Options &options;
  Meeting meeting;
  std::mutex mutex;
  size_t wrong = 0; ///< in the current case
  size_t wrongInAll = 0;
  uint64_t calls = 0; ///< checked calls of each rank
  double busSum = 0;
  size_t numTimed = 0;
};

double microseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

/// Runs a case, times it and checks the result. Returns the time of a call in
/// microseconds.
double runCase(Ranks &own, const Case &what, Shared &shared) {
  const Options &options = shared.options;
  own.makeOps(what);
  own.fill(what);
  shared.meeting.wait();
  double time = 0;
  if (options.iterations > 0) {
    for (int i = 0; i < options.warmup; ++i)
      own.enqueue(what);
    own.wait();
    shared.meeting.wait();
    const auto begin = std::chrono::steady_clock::now();
    const auto all = [&] {
      for (int i = 0; i < options.iterations; ++i)
        own.enqueue(what);
    };
    if (options.graphs > 0) {
      own.launchGraphs(options.graphs, all);
    } else {
      all();
      own.wait();
    }
    shared.meeting.wait();
    time = microseconds(std::chrono::steady_clock::now() - begin) /
           options.iterations / std::max(options.graphs, 1);
    own.fill(what); // in-place calls have overwritten their input
    shared.meeting.wait();
  }
  if (options.graphs > 0)
    own.launchGraphs(1, [&] { own.enqueue(what); });
  else
    own.enqueue(what);
  own.wait();
  const size_t wrong = own.countWrong(what);
  own.dropOps(what);
  {
    const std::lock_guard<std::mutex> lock(shared.mutex);
    shared.wrong += wrong;
  }
  shared.meeting.wait();
  return time;
}

/// Prints a row of the table: out of place, and in place if the collective
/// allows it.
void runRow(Ranks &own, Case what, Shared &shared) {
  const int ranks = shared.options.threads * shared.options.gpus;
  const bool first = own.ranks.front().number == 0;
  const Collective &of = what.collective;
  const size_t bytes =
      what.type.bytes *
      std::max(of.sent(what.count, ranks), of.received(what.count, ranks));
  if (first)
    std::printf("%12zu  %12zu  %8s  %9s  %4d", bytes, what.count,
                what.type.name, of.hasOp ? what.op.name : "none",
                of.hasRoot ? what.root : -1);
  for (const bool inPlace : {false, true}) {
    if (inPlace && !of.hasInPlace) {
      if (first)
        std::printf("  %7s %6s %6s %6s", "N/A", "N/A", "N/A", "N/A");
      continue;
    }
    what.inPlace = inPlace;
    ++what.seed;
    const double time = runCase(own, what, shared);
    if (first) {
      const double rate = time > 0 ? double(bytes) / time / 1000 : 0;
      const double bus = rate * of.busFactor(ranks);
      std::printf("  %7.1f %6.2f %6.2f %6zu", time, rate, bus, shared.wrong);
      shared.busSum += bus;
      ++shared.numTimed;
      ++shared.calls;
      shared.wrongInAll += shared.wrong;
      shared.wrong = 0;
    }
    shared.meeting.wait();
  }
  if (first)
    std::printf("\n");
}

void runAll(Ranks &own, Shared &shared) {
  const Options &options = shared.options;
  const int ranks = options.threads * options.gpus;
  const std::vector<Op> none = {perf::ops().front()};
  uint64_t seed = 1;
  for (const std::string &name : options.collectives)
    for (const Collective &of : collectives()) {
      if (name != of.name)
        continue;
      if (own.ranks.front().number == 0)
        std::printf(
            "# %s\n#%11s  %12s  %8s  %9s  %4s  %7s %6s %6s %6s  %7s %6s "
            "%6s %6s\n",
            of.name, "bytes", "count", "type", "redop", "root", "us", "algbw",
            "busbw", "#wrong", "us", "algbw", "busbw", "#wrong");
      for (const Type &type : options.chosenTypes)
        for (const Op &op : of.hasOp ? options.chosenOps : none)
          for (int root = std::max(options.root, 0);
               root < (of.hasRoot && options.root < 0
                           ? ranks
                           : std::max(options.root, 0) + 1);
               ++root)
            for (size_t bytes = options.minBytes;;) {
              const size_t parts =
                  of.sendsAll || of.receivesAll ? size_t(ranks) : 1;
              if (isExact(type, op, ranks))
                runRow(own,
                       {of, type, op, root, bytes / type.bytes / parts, false,
                        seed += 2},
                       shared);
              if (bytes >= options.maxBytes)
                break;
              bytes = std::min(bytes == 0 ? type.bytes * parts
                                          : bytes * options.factor,
                               options.maxBytes);
            }
    }
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options))
    return 2;
  const int number = options.threads * options.gpus;
  int devices = 0, version = 0;
  CUDA_CHECK(cudaGetDeviceCount(&devices));
  NCCL_CHECK(ncclGetVersion(&version));
  if (number > devices) {
    std::fprintf(stderr, "%d ranks, and %d devices\n", number, devices);
    return 2;
  }
  std::printf("# %d threads of %d GPUs, NCCL %d\n", options.threads,
              options.gpus, version);
  for (int device = 0; device < number; ++device) {
    cudaDeviceProp of;
    CUDA_CHECK(cudaGetDeviceProperties(&of, device));
    std::printf("#   rank %2d on device %2d [0x%02x] %s\n", device, device,
                unsigned(of.pciBusID), of.name);
  }

  ncclUniqueId id;
  NCCL_CHECK(ncclGetUniqueId(&id));
  std::vector<Ranks> threads;
  std::vector<Rank *> all;
  threads.reserve(size_t(options.threads));
  for (int t = 0; t < options.threads; ++t) {
    threads.emplace_back(options, t * options.gpus);
    for (Rank &rank : threads.back().ranks)
      all.push_back(&rank);
  }
  if (!options.parallelInit)
    Ranks::makeComms(all, number, id);

  Shared shared(options);
  std::vector<std::thread> running;
  for (Ranks &own : threads)
    running.emplace_back([&] {
      if (options.parallelInit) {
        std::vector<Rank *> mine;
        for (Rank &rank : own.ranks)
          mine.push_back(&rank);
        Ranks::makeComms(mine, number, id);
      }
      own.registerBuffers();
      runAll(own, shared);
      own.finish();
    });
  for (std::thread &thread : running)
    thread.join();
  std::printf("# Out of bounds values : %zu %s\n# Avg bus bandwidth    : %g\n"
              "# Calls checked        : %llu\n",
              shared.wrongInAll, shared.wrongInAll == 0 ? "OK" : "FAILED",
              shared.numTimed ? shared.busSum / double(shared.numTimed) : 0,
              static_cast<unsigned long long>(shared.calls));
  // If nothing has been checked, the run is not a success.
  return shared.wrongInAll == 0 && shared.calls != 0 ? 0 : 1;
}
