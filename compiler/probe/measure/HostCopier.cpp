//===- HostCopier.cpp - copies by cores -----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/measure/HostCopier.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

using namespace blink;
using Clock = std::chrono::steady_clock;

bool blink::pinTo(const std::vector<int> &processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int processor : processors)
    if (processor < CPU_SETSIZE)
      CPU_SET(processor, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

bool HostCopier::canCopy(Place from, Place to) {
  if (from.kind != Place::gpu || to.kind != Place::numa ||
      !memories_.count(to.index))
    return false;
  bool may = false;
  std::thread([&] {
    may = pinTo(memories_[to.index]) && pinTo({cores_[from.index]});
  }).join();
  return may;
}

void HostCopier::prepare(llvm::ArrayRef<CopyWork> works) {
  std::map<Key, std::vector<char>> kept;
  auto make = [&](Key key, const std::vector<int> &processors) {
    std::vector<char> &bytes = kept[key] = std::move(buffers_[key]);
    if (bytes.empty())
      std::thread([&] {
        (void)pinTo(processors); // canCopy() has checked it
        bytes.resize(blockBytes(), 1);
      }).join();
  };
  for (const CopyWork &work : works) {
    make({work.from.index, -1}, {cores_[work.from.index]});
    make({work.from.index, work.to.index}, memories_[work.to.index]);
  }
  buffers_ = std::move(kept);
}

llvm::Expected<std::vector<std::vector<double>>>
HostCopier::copy(llvm::ArrayRef<CopyWork> works) {
  prepare(works);
  std::vector<std::vector<Clock::time_point>> ends(works.size());
  std::vector<Clock::time_point> begins(works.size());
  std::atomic<size_t> ready{0};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < works.size(); ++i)
    threads.emplace_back([&, i] {
      const CopyWork &work = works[i];
      std::vector<char> &from = buffers_.at({work.from.index, -1});
      std::vector<char> &to = buffers_.at({work.from.index, work.to.index});
      ends[i].reserve(static_cast<size_t>(work.blocks));
      (void)pinTo({cores_[work.from.index]}); // canCopy() has checked it
      ready.fetch_add(1);
      while (ready.load() < works.size())
        std::this_thread::yield();
      begins[i] = Clock::now();
      for (int block = 0; block < work.blocks; ++block) {
        std::memcpy(to.data(), from.data(), from.size());
        // Keeps the compiler from removing the copy.
        from[static_cast<size_t>(block)] = to.back();
        ends[i].push_back(Clock::now());
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  const Clock::time_point begin =
      *std::min_element(begins.begin(), begins.end());
  std::vector<std::vector<double>> seconds;
  for (const std::vector<Clock::time_point> &of : ends) {
    seconds.emplace_back();
    for (Clock::time_point end : of)
      seconds.back().push_back(
          std::chrono::duration<double>(end - begin).count());
  }
  return seconds;
}
