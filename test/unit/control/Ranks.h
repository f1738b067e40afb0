//===- Ranks.h - control planes of many ranks, for tests --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// All ranks are in this process and use the loopback device; each has a thread
// as usual.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_CONTROL_RANKS_H
#define BLINK_TEST_UNIT_CONTROL_RANKS_H

#include "runtime/core/Memory.h"
#include "runtime/job/control/ControlPlane.h"
#include "runtime/job/control/HubDirectory.h"
#include "test/unit/control/Wire.h"

#include "doctest/doctest.h"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <sys/mman.h>
#include <thread>
#include <vector>

namespace blink::test {

using namespace runtime;
using Clock = std::chrono::steady_clock;

/// Does what the process that made a unique id does.
class Directory {
public:
  explicit Directory(const Secret &secret) {
    REQUIRE(directory_.start(secret).ok());
    thread_ = std::thread([this] {
      // Relaxed: the flag publishes nothing else.
      while (!ends_.load(std::memory_order_relaxed) && !directory_.complete()) {
        std::vector<pollfd> files;
        directory_.addFiles(files);
        poll(files.data(), files.size(), 20);
        directory_.work();
      }
      complete_ = directory_.complete();
    });
  }
  ~Directory() { end(); }
  void end() {
    ends_.store(true, std::memory_order_relaxed);
    if (thread_.joinable())
      thread_.join();
  }
  NetworkPlace place() const { return directory_.place(); }
  bool complete() {
    end();
    return complete_;
  }

private:
  HubDirectory directory_;
  std::atomic<bool> ends_{false};
  bool complete_ = false; ///< belongs to the thread until it ends
  std::thread thread_;
};

/// Waits until the condition holds; returns false after a minute, which is far
/// too long.
template <typename Condition> bool eventually(const Condition &condition) {
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(60);
  while (!condition() && Clock::now() < deadline)
    std::this_thread::yield();
  return condition();
}

/// A server's memory: a failure record, and a word for each rank.
class ServerMemory {
public:
  explicit ServerMemory(int numRanks) : words_(size_t(numRanks)) {
    Arena none(nullptr);
    memory.layout(none, numRanks);
    bytes_ = none.size();
    // Hardly any of this memory is ever touched.
    void *base = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(base != MAP_FAILED);
    base_ = static_cast<char *>(base);
    Arena arena(base_);
    memory.layout(arena, numRanks);
  }
  ~ServerMemory() { munmap(base_, bytes_); }
  ServerMemory(const ServerMemory &) = delete;

  FindWords mirrored() {
    return [this](int rank) {
      return MirroredWords{{}, {}, {&words_[size_t(rank)]}};
    };
  }
  /// Release and acquire, as for records.
  void set(int rank, uint64_t value) {
    storeRelease(&words_[size_t(rank)], value);
  }
  uint64_t get(int rank) const { return loadAcquire(&words_[size_t(rank)]); }

  JobMemory memory;

private:
  char *base_ = nullptr;
  size_t bytes_ = 0;
  std::vector<uint64_t> words_;
};

struct Ranks {
  /// `servers` gives the server of each rank.
  explicit Ranks(std::vector<uint16_t> servers, unsigned char letter = 's')
      : serverOf(std::move(servers)), secret(secretOf(letter)) {
    planes.resize(serverOf.size());
    statuses.resize(serverOf.size());
    for (uint16_t server : serverOf)
      while (memories.size() <= server)
        memories.push_back(std::make_unique<ServerMemory>(count()));
  }
  ~Ranks() { leaveAll(); }

  static std::vector<uint16_t> servers(int number, int ranksEach) {
    std::vector<uint16_t> all;
    for (int rank = 0; rank < number * ranksEach; ++rank)
      all.push_back(uint16_t(rank / ranksEach));
    return all;
  }
  int count() const { return int(serverOf.size()); }
  ServerMemory &memoryOf(int rank) { return *memories[serverOf[size_t(rank)]]; }

  ControlRequest request(int rank, const NetworkPlace &directory) const {
    ControlRequest one;
    one.secret = secret;
    one.directory = directory;
    one.numRanks = count();
    one.rank = rank;
    one.serverOf = serverOf;
    one.fingerprint = 42;
    one.silence = silence;
    return one;
  }
  void join(int rank, const NetworkPlace &directory) {
    Status &status = statuses[size_t(rank)];
    auto &plane = planes[size_t(rank)];
    status =
        ControlPlane::join(request(rank, directory),
                           Clock::now() + std::chrono::seconds(60), {}, plane);
    if (status.ok())
      plane->attach(memoryOf(rank).memory, memoryOf(rank).mirrored());
  }
  void joinAll(const NetworkPlace &directory) {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < count(); ++rank)
      threads.emplace_back([this, rank, &directory] { join(rank, directory); });
    for (std::thread &thread : threads)
      thread.join();
  }
  void expectJoined() const {
    for (const Status &status : statuses)
      CHECK(status.text == "");
  }
  void leave(int rank) { planes[size_t(rank)].reset(); }
  void leaveAll() {
    std::vector<std::thread> threads;
    for (auto &plane : planes)
      threads.emplace_back([&plane] { plane.reset(); });
    for (std::thread &thread : threads)
      thread.join();
  }

  /// Each rank that is there says something; checks that every server hears of
  /// it.
  bool tellAll(uint64_t value) {
    for (int rank = 0; rank < count(); ++rank)
      if (planes[size_t(rank)]) {
        memoryOf(rank).set(rank, value);
        const uint64_t one = 1;
        CHECK(write(planes[size_t(rank)]->bell(), &one, sizeof(one)) > 0);
      }
    return eventually([&] {
      for (int rank = 0; rank < count(); ++rank)
        for (int other = 0; other < count(); ++other)
          if (planes[size_t(rank)] && planes[size_t(other)] &&
              memoryOf(other).get(rank) != value)
            return false;
      return true;
    });
  }
  /// Whether each rank that is there knows the hosts of all others.
  bool knowEachOther() const {
    for (const auto &plane : planes)
      for (size_t rank = 0; plane && rank < planes.size(); ++rank)
        if (planes[rank] &&
            plane->name(int(rank)).find(" on ") == std::string::npos)
          return false;
    return true;
  }
  /// Returns "", or which of the ranks that are there takes which rank for
  /// lost.
  std::string lost() const {
    for (const auto &plane : planes)
      for (int rank = 0; plane && rank < count(); ++rank)
        if (const Status status = plane->lost(rank); !status.ok())
          return status.text;
    return "";
  }

  std::vector<uint16_t> serverOf;
  Secret secret;
  std::chrono::milliseconds silence{5000}; ///< long, as processors may be busy
  std::vector<std::unique_ptr<ServerMemory>> memories;
  std::vector<std::unique_ptr<ControlPlane>> planes;
  std::vector<Status> statuses;
};

} // namespace blink::test

#endif // BLINK_TEST_UNIT_CONTROL_RANKS_H
