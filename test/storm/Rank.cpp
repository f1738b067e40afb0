//===- Rank.cpp - one rank of the storm -----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/storm/Rank.h"

#include "test/storm/Delays.h"

#include <algorithm>

using namespace blink::test;

namespace blink::storm {
namespace {

constexpr size_t kPlacing = 1024; ///< maximum number of bytes around buffers

size_t arenaBytes(const JobPlan &job) {
  // Enough for several large calls, or for one of the maximum size.
  constexpr uint64_t kSome = 4 << 20;
  return job.mostBytes <= kSome ? 6 * job.mostBytes + (64 << 10)
                                : 2 * job.mostBytes + 2 * kSome;
}

} // namespace

void Findings::add(std::set<unsigned> &calls, const char *what, int rank,
                   unsigned call, const std::string &text) {
  constexpr size_t kMostTexts = 8;
  const std::lock_guard<std::mutex> lock(mutex_);
  calls.insert(call);
  if (texts_.size() < kMostTexts)
    texts_.push_back(std::string(what) + ": call " + std::to_string(call) +
                     ", rank " + std::to_string(rank) + ": " + text);
}

size_t Findings::wrongCalls() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return wrong_.size();
}

size_t Findings::errors() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return failed_.size();
}

Rank::Rank(const JobPlan &job, int rank, Findings &findings)
    : job_(job), rank_(rank), findings_(findings),
      dice_(job.seed, {ofRank, job.number, uint64_t(rank)}),
      arena_(arenaBytes(job), job.devices[size_t(rank)], job.ownMemory),
      phase_(job.number * 31) {}

void Rank::join(blinkComm_t comm) {
  comm_ = comm;
  streams_.emplace(job_.devices[size_t(rank_)]);
}

size_t Rank::mostBytes(const Case &c, int numRanks) {
  const uint32_t ranks = uint32_t(numRanks);
  return c.count * size_t(bytesOf(c.type)) *
             (sched::inputBlocks(c.collective, ranks) +
              sched::outputBlocks(c.collective, ranks)) +
         kPlacing;
}

bool Rank::hasRoomFor(const Case &c) const {
  // The limit is a third of the arena: if a region does not fit behind the last
  // one, the arena's end is wasted.
  return claimedForGroup_ + mostBytes(c, job_.ranks()) <= arena_.size() / 3;
}

/// Returns a free region of the arena, after waiting for the calls that still
/// use it.
unsigned char *Rank::claim(size_t bytes) {
  if (next_ + bytes > arena_.size())
    next_ = 0;
  const auto isInTheWay = [&](const Outstanding &call) {
    const size_t begin = size_t(call.region - arena_.data());
    return begin < next_ + bytes && next_ < begin + call.buffers.bytes();
  };
  // Calls are retired in order. A call that is not in the way may precede one
  // that is, if the latter is at the arena's start.
  while (std::any_of(calls_.begin(), calls_.end(), isInTheWay))
    retire();
  unsigned char *region = arena_.data() + next_;
  next_ += bytes;
  return region;
}

void Rank::prepare(const Case &planned) {
  while (calls_.size() >= job_.window && numToMake_ == 0 && numToFetch_ == 0)
    retire();
  Case c = planned;
  c.inPlace = dice_.chance(40);
  Placing placing;
  // Aligned to a cache line, to 16 bytes, or to an element.
  const size_t unit = dice_.pick({64u, 64u, 16u, 1u, 1u});
  placing.before = 64 + dice_.below(128 / unit) * unit;
  placing.between = 64 + dice_.below(256 / unit) * unit;
  placing.recvFirst = dice_.chance(30);
  placing.nulls = dice_.chance(50);
  // Successive calls have inputs that differ in every element.
  const size_t phase = phase_ + number_ * 97;
  CallBuffers buffers(c, job_.ranks(), rank_, phase, placing, patterns_);
  c.inPlace = buffers.inPlace();
  unsigned char *region = claim(buffers.bytes());
  buffers.fill(region);
  const unsigned stream =
      dice_.chance(70) ? 0 : unsigned(dice_.below(Streams::kNumber));
  calls_.push_back(
      {c, number_++, std::move(buffers), region, (*streams_)[stream], Mark()});
  ++numToMake_;
  claimedForGroup_ += mostBytes(c, job_.ranks());
  const Outstanding &call = calls_.back();
  streams_->useDevice();
  streams_->upload(arena_, region, call.buffers.bytes(), call.stream);
}

blinkResult_t Rank::makeCall() {
  const Outstanding &call = calls_[calls_.size() - numToMake_];
  --numToMake_;
  ++numToFetch_;
  const auto address = [&](size_t offset) -> unsigned char * {
    return offset == CallBuffers::kNull ? nullptr
                                        : arena_.twin(call.region + offset);
  };
  delayCall(job_.delays, dice_);
  streams_->useDevice();
  return test::call(call.c, address(call.buffers.send()),
                    address(call.buffers.recv()), comm_, call.stream);
}

void Rank::fetchResults(bool failed) {
  streams_->useDevice();
  for (; numToFetch_ != 0; --numToFetch_) {
    Outstanding &call = calls_[calls_.size() - numToMake_ - numToFetch_];
    streams_->download(arena_, call.region, call.buffers.bytes(), call.stream);
    call.done.set(call.stream);
    call.failed = failed;
  }
  claimedForGroup_ = 0;
}

blinkResult_t Rank::changeWindows() {
  if (!dice_.chance(job_.windowPercent))
    return blinkSuccess;
  streams_->useDevice();
  if (!windows_.empty() && dice_.below(6) < windows_.size()) {
    std::swap(windows_[dice_.below(windows_.size())], windows_.back());
    void *handle = windows_.back();
    windows_.pop_back();
    return blinkCommDeregister(comm_, handle);
  }
  const size_t half = arena_.size() / 2;
  const size_t begin = dice_.below(half) / 64 * 64;
  const size_t bytes = half / 2 + dice_.below(half / 2);
  void *handle = nullptr;
  const blinkResult_t result = blinkCommRegister(
      comm_, arena_.twin(arena_.data() + begin), bytes, &handle);
  if (handle)
    windows_.push_back(handle);
  return result;
}

/// Waits for the oldest call and checks it.
void Rank::retire() {
  const Outstanding &call = calls_.front();
  call.done.wait();
  blinkResult_t state = blinkSuccess;
  blinkCommGetAsyncError(comm_, &state);
  const std::string about = call.c.describe() + ": ";
  if (state != blinkSuccess)
    findings_.addError(rank_, call.number,
                       about +
                           "the communicator: " + blinkGetErrorString(state));
  else if (const std::string text =
               call.failed ? "" : call.buffers.check(call.region);
           !text.empty())
    findings_.addWrong(rank_, call.number, about + text);
  calls_.pop_front();
}

void Rank::finish() {
  while (!calls_.empty())
    retire();
}

} // namespace blink::storm
