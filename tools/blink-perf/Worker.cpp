//===- Worker.cpp - drives some ranks through all cases -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Each check precedes its timing and has data of its own, so that no leftovers
// of an earlier call can pass for a result.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Worker.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>

namespace blink::perf {
namespace {

/// Thrown when another worker has failed and reported that.
struct Ended {};

} // namespace

Worker::Worker(const Options &options, const std::vector<Case> &cases,
               Backend &backend, Shared &shared, int firstRank,
               std::vector<blinkComm_t> comms)
    : options_(options), cases_(cases), backend_(backend), shared_(shared),
      firstRank_(firstRank), comms_(std::move(comms)) {}

void Worker::run() {
  try {
    for (size_t i = 0; i < comms_.size(); ++i)
      buffers_.push_back(std::make_unique<Buffers>(
          backend_, firstRank_ + int(i), cases_, options_.registers));
    // Within a process enroll() does not wait for other ranks; in a job of
    // several processes each worker has a single rank.
    for (size_t i = 0; options_.registers && i < comms_.size(); ++i)
      if (buffers_[i]->enroll(comms_[i]) != blinkSuccess)
        throw std::runtime_error(blinkGetLastError(comms_[i]));
    if (!options_.check)
      forEachRank([&](size_t i) { buffers_[i]->clear(); });
    for (size_t index = 0; index < cases_.size(); ++index) {
      measure(index, false);
      if (cases_[index].hasInPlace() && !options_.onlyOutOfPlace)
        measure(index, true);
      if (!shared_.conclude(index, firstRank_ == 0))
        throw Ended();
    }
    for (size_t i = 0; options_.registers && i < comms_.size(); ++i)
      if (buffers_[i]->withdraw(comms_[i]) != blinkSuccess)
        throw std::runtime_error(blinkGetLastError(comms_[i]));
  } catch (const Ended &) {
  } catch (const std::exception &error) {
    shared_.fail(error.what());
  }
}

/// Calls function(i) for each rank of this worker; on all processors if it is
/// the only worker.
template <typename Function> void Worker::forEachRank(Function function) {
  std::atomic<size_t> next{0};
  std::exception_ptr error;
  std::atomic<bool> threw{false};
  auto work = [&] {
    try {
      for (size_t i = next++; i < comms_.size(); i = next++)
        function(i);
    } catch (...) {
      if (!threw.exchange(true))
        error = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  const size_t most =
      std::min<size_t>(std::thread::hardware_concurrency(), comms_.size());
  for (size_t t = 1; t < most; ++t)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  if (error)
    std::rethrow_exception(error);
}

void Worker::meet(double *seconds) {
  if (!shared_.barrier(seconds))
    throw Ended();
}

void Worker::measure(size_t index, bool inPlace) {
  const Case &c = cases_[index];
  Result &result = shared_.result(index);
  const uint64_t seed = 2 * index + inPlace + 1;
  if (options_.check)
    result.wrong[inPlace] += check(c, inPlace, seed);
  const double seconds = time(c, inPlace);
  if (firstRank_ == 0) {
    result.seconds[inPlace] = seconds;
    result.cpuSeconds[inPlace] = shared_.cpuSeconds() / iterationsOf(c);
  }
}

uint64_t Worker::check(const Case &c, bool inPlace, uint64_t seed) {
  forEachRank([&](size_t i) { buffers_[i]->fill(c, inPlace, seed); });
  if (c.reduces()) {
    const size_t elements = c.count * c.inputBlocks();
    const size_t parts = shared_.sharesReference() ? size_t(c.numRanks) : 1;
    forEachRank([&](size_t i) {
      const size_t part =
          shared_.sharesReference() ? size_t(firstRank_) + i : i;
      if (part < parts)
        writeReduced(c, seed, elements * part / parts,
                     elements * (part + 1) / parts, shared_.reference());
    });
  }
  meet();
  if (options_.graphLaunches == 0) {
    iterate(c, inPlace, 1);
  } else {
    backend_.capture([&] { iterate(c, inPlace, 1); });
    backend_.launchGraph();
  }
  wait(c, inPlace);
  std::atomic<uint64_t> wrong{0};
  forEachRank([&](size_t i) {
    wrong += buffers_[i]->countWrong(c, inPlace, seed, shared_.reference());
  });
  return wrong;
}

int Worker::iterationsOf(const Case &c) const {
  return c.iterations ? c.iterations : options_.iterations;
}

double Worker::time(const Case &c, bool inPlace) {
  const int iterations = iterationsOf(c);
  iterate(c, inPlace,
          c.iterations ? std::min(c.iterations, options_.warmup)
                       : options_.warmup);
  wait(c, inPlace);
  if (backend_.keepsTime()) { // a single worker
    double seconds = 0;
    if (options_.graphLaunches == 0) {
      seconds = backend_.seconds([&] { iterate(c, inPlace, iterations); });
    } else {
      backend_.capture([&] { iterate(c, inPlace, options_.graphLaunches); });
      backend_.launchGraph(); // the first launch uploads the graph
      wait(c, inPlace);
      seconds = backend_.seconds([&] {
        for (int i = 0; i < iterations; ++i)
          backend_.launchGraph();
      });
      seconds /= options_.graphLaunches;
    }
    wait(c, inPlace);
    return seconds / iterations;
  }
  double begin = 0, end = 0;
  meet(&begin);
  iterate(c, inPlace, iterations);
  meet(&end);
  return (end - begin) / iterations;
}

void Worker::iterate(const Case &c, bool inPlace, int times) {
  for (int t = 0; t < times; ++t) {
    blinkResult_t result;
    if (comms_.size() == 1) {
      result = call(0, c, inPlace);
    } else {
      blinkGroupStart();
      for (size_t i = 0; i < comms_.size(); ++i)
        call(i, c, inPlace); // the group's end reports refused calls
      result = blinkGroupEnd();
    }
    if (result != blinkSuccess)
      throw std::runtime_error(std::string(blinkGetErrorString(result)) + ": " +
                               blinkGetLastError(nullptr));
  }
}

/// Waits until the calls are done, then checks how they ended.
void Worker::wait(const Case &c, bool inPlace) {
  if (!backend_.keepsTime())
    return;
  backend_.synchronize();
  blinkResult_t result = blinkSuccess;
  for (blinkComm_t comm : comms_)
    if (blinkCommGetAsyncError(comm, &result) == blinkSuccess &&
        result != blinkSuccess)
      iterate(c, inPlace, 1); // fails at once with a message
}

blinkResult_t Worker::call(size_t which, const Case &c, bool inPlace) {
  return c.make(buffers_[which]->send(c, inPlace),
                buffers_[which]->recv(c, inPlace), comms_[which],
                backend_.stream(firstRank_ + int(which)));
}

} // namespace blink::perf
