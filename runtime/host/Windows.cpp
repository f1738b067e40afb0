//===- Windows.cpp - registered buffers of processes ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Windows.h"

#include "runtime/Log.h"
#include "runtime/Mapping.h"
#include "runtime/job/Descriptor.h"
#include "runtime/job/SharedBlocks.h"
#include "schedules/Text.h"

#include <algorithm>
#include <fcntl.h>
#include <set>
#include <sys/stat.h>

namespace blink::runtime {

void Windows::begin(const Job &job, const BoardMemory &board,
                    WindowRecord *records, const Plan &plan, int self,
                    std::function<void()> quiet) {
  job_ = &job;
  records_ = records;
  self_ = self;
  quiet_ = std::move(quiet);
  others_ = std::vector<std::atomic<Others *>>(size_t(plan.numRanks));
  std::set<int> owners, readers;
  for (const RingPlan &ring : plan.rings) {
    if (ring.apart || ring.source == ring.destination)
      continue; // no chunk of such a ring is borrowed
    if (ring.source == self)
      readers.insert(ring.destination);
    if (ring.destination == self)
      owners.insert(ring.source);
  }
  board_.begin(
      job, board, self, {owners.begin(), owners.end()},
      {readers.begin(), readers.end()},
      {[this](int owner, uint32_t number) { return open(owner, number); },
       [this](int owner, uint32_t number) { close(owner, number); }});
}

void Windows::end() {
  board_.end();
  for (std::atomic<Others *> &others : others_)
    delete others.exchange(nullptr, std::memory_order_relaxed);
  for (const auto &[handle, own] : byHandle_)
    if (own.number != kMaxWindows)
      releaseBlock(own.begin);
  byBegin_.clear();
  byHandle_.clear();
}

//===-- This rank's windows -----------------------------------------------===//

Status Windows::add(const void *buffer, uint64_t bytes, uintptr_t &handle) {
  Own own{static_cast<const char *>(buffer), bytes};
  SharedPlace place;
  bool isWindow = useBlock(buffer, bytes, place);
  if (isWindow && place.file < 0) { // a GPU's memory
    releaseBlock(buffer);
    isWindow = false;
  }
  if (isWindow) {
    own.number = board_.freeNumber();
    if (own.number == kMaxWindows) {
      releaseBlock(buffer);
      return Status(blinkInvalidUsage, kMaxWindows,
                    " buffers of this rank are registered already: register "
                    "memory in fewer pieces, or deregister some");
    }
    records_[size_t(self_) * kMaxWindows + own.number] = {
        bytes, uint64_t(place.file), place.offset, place.device, place.inode};
    byBegin_.emplace(own.begin, own);
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    board_.offer(own.number);
  } else {
    log(LogLevel::info, self_,
        "a registered buffer is not in memory of blinkMemAlloc: other "
        "processes copy from it as they do without");
  }
  handle = ++lastHandle_;
  byHandle_.emplace(handle, own);
  return {};
}

Status Windows::remove(uintptr_t handle) {
  const auto found = byHandle_.find(handle);
  if (found == byHandle_.end())
    return {blinkInvalidArgument, "the handle is of no registered buffer"};
  const Own own = found->second;
  if (own.number != kMaxWindows) {
    // From now on calls do without the window, also if a reader is late.
    const auto windows = byBegin_.equal_range(own.begin);
    const auto window =
        std::find_if(windows.first, windows.second, [&](const auto &other) {
          return other.second.number == own.number;
        });
    if (window != windows.second) {
      byBegin_.erase(window);
      bytes_.fetch_sub(own.bytes, std::memory_order_relaxed);
    }
    if (Status status = board_.withdraw(own.number); !status.ok())
      return status;
    releaseBlock(own.begin);
  }
  byHandle_.erase(found);
  return {};
}

bool Windows::covers(const void *buffer, uint64_t bytes, uint64_t &shift) {
  shift = 0;
  if (bytes == 0)
    return true;
  const char *const begin = static_cast<const char *>(buffer);
  for (auto next = byBegin_.upper_bound(begin); next != byBegin_.begin();) {
    const Own &own = (--next)->second;
    if (begin + bytes > own.begin + own.bytes || !board_.isOpen(own.number))
      continue;
    shift = WindowPlace::pack(own.number, 0) -
            reinterpret_cast<uint64_t>(own.begin);
    return true;
  }
  return false;
}

//===-- Other ranks' windows ----------------------------------------------===//

bool Windows::open(int owner, uint32_t number) {
  const WindowRecord &record = records_[size_t(owner) * kMaxWindows + number];
  // This needs no more rights than process_vm_readv, and on hardened systems
  // fewer.
  const Descriptor file(::open(
      textOf("/proc/", job_->processOf(owner), "/fd/", record.file).c_str(),
      O_RDONLY | O_CLOEXEC));
  struct stat status;
  std::shared_ptr<char> pages;
  const uint64_t page = uint64_t(sysconf(_SC_PAGESIZE));
  const uint64_t before = record.offset % page;
  // In another namespace the number may be another process's, or access is
  // denied.
  if (file && fstat(file.get(), &status) == 0 &&
      status.st_dev == record.device && status.st_ino == record.inode)
    pages = mapFile(before + record.bytes, PROT_READ, MAP_SHARED | MAP_POPULATE,
                    file.get(), off_t(record.offset - before));
  if (!pages) {
    log(LogLevel::info, self_, "cannot map a registered buffer of rank ", owner,
        ": it is copied from as others are");
    return false;
  }
  std::atomic<Others *> &others = others_[size_t(owner)];
  if (!others.load(std::memory_order_relaxed))
    others.store(new Others{}, std::memory_order_release);
  Others &mapped = *others.load(std::memory_order_relaxed);
  mapped.here[number].store(pages.get() + before, std::memory_order_release);
  mapped.pages[number] = std::move(pages);
  return true;
}

void Windows::close(int owner, uint32_t number) {
  // Only after a failure may lanes still be reading the window, and not for
  // long.
  if (job_->failed())
    quiet_();
  Others &mapped = *others_[size_t(owner)].load(std::memory_order_relaxed);
  mapped.here[number].store(nullptr, std::memory_order_relaxed);
  mapped.pages[number].reset();
}

} // namespace blink::runtime
