//===- Proxy.cpp - the other end of carried rings -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Proxy.h"

#include "runtime/QuietThread.h"
#include "runtime/core/Ring.h"
#include "runtime/cuda/DeviceMemory.h"
#include "runtime/job/Backoff.h"

#include <algorithm>
#include <new>

namespace blink::runtime {

using Clock = std::chrono::steady_clock;

//===-- Which chunks calls have -------------------------------------------===//

void Proxy::prepare(const Plan &plan, CarriedRings &rings,
                    const std::vector<bool> &here) {
  rings_ = &rings;
  for (int rank = 0; rank < plan.numRanks; ++rank) {
    if (!here[size_t(rank)])
      continue;
    ranks_.push_back(rank);
    for (const ProgramPlan &program : plan.programs)
      for (const VariantPlan &variant : program.variants) {
        const RankPlan &of = variant.ranks[size_t(rank)];
        std::vector<Part> parts;
        for (size_t s = 0; s < of.borrows.size(); ++s) {
          const StepCode &step = of.code.steps[s];
          for (uint32_t i = 0; i < step.numOperands(); ++i) {
            const OperandCode &operand =
                of.code.operands[step.operandsBegin + i];
            if (operand.kind != OperandKind::channel ||
                !plan.rings[variant.rings[operand.index]].apart)
              continue;
            const uint32_t number = variant.rings[operand.index];
            const RingPlan &ring = plan.rings[number];
            const bool writes = i >= step.sources;
            parts.push_back(
                {number, writes, writes ? ring.destination : ring.source,
                 variant.trees[step.tree], variant.slots[operand.index],
                 variant.chunks.bytes, variant.paces[operand.index],
                 !variant.partial.empty() && variant.partial[operand.index]});
          }
        }
        if (!parts.empty())
          parts_[{rank, variant.number}] = std::move(parts);
      }
  }
}

void Proxy::addChunks(const Call &call, const VariantPlan &variant,
                      const CallShape &shape,
                      std::vector<CarriedChunks> &chunks) {
  const auto found = parts_.find({call.rank, variant.number});
  if (found == parts_.end())
    return;
  for (const Part &part : found->second) {
    if (call.isMessage() &&
        (part.peer != call.peer || part.writes != (call.send != nullptr)))
      continue;
    CarriedChunks some;
    some.ring = part.ring;
    some.writes = part.writes;
    some.range = shape.rangeOf(part.share);
    some.elementBytes = shape.elementBytes;
    some.sentBytes = shape.bytesOf(part.partial);
    some.chunkBytes = shape.chunkBytesOf(some.range);
    some.count = chunkCount(some.range, shape.elementBytes, some.chunkBytes);
    some.slots = part.slots;
    some.slotBytes = part.slotBytes;
    some.pace = part.pace;
    some.signature = signatureBits(call.kind.hash());
    if (some.count != 0)
      chunks.push_back(some);
  }
}

//===-- What streams announce ---------------------------------------------===//

Status Proxy::announce(cudaStream_t stream, bool captured,
                       std::vector<CarriedChunks> chunks) {
  if (chunks.empty())
    return {};
  Announcement *announcement = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (unused_.empty()) {
      announcements_.emplace_back();
      unused_.reserve(announcements_.size());
      unused_.push_back(&announcements_.back());
    }
    announcement = unused_.back();
    unused_.pop_back();
  }
  *announcement = {this, std::move(chunks), captured};
  return cudaStatus(cudaLaunchHostFunc(stream, hear, announcement),
                    "cannot put a function into a stream");
}

void CUDART_CB Proxy::hear(void *announcement) {
  auto &heard = *static_cast<Announcement *>(announcement);
  heard.proxy->hear(heard);
}

void Proxy::hear(Announcement &announcement) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    try {
      announced_.insert(announced_.end(), announcement.chunks.begin(),
                        announcement.chunks.end());
    } catch (const std::bad_alloc &) {
      outOfMemory_ = true;
    }
    if (!announcement.captured)
      unused_.push_back(&announcement); // announce() has reserved the room
  }
  wake_.notify_one();
}

//===-- The thread --------------------------------------------------------===//

Status Proxy::start(const Job &job, std::function<void(const Status &)> fail,
                    std::function<Status()> failure) {
  job_ = &job;
  fail_ = std::move(fail);
  failure_ = std::move(failure);
  Status status = startQuietThread(thread_, [this] { run(); });
  if (!status.ok())
    status.text = "channels over a network: " + status.text;
  return status;
}

void Proxy::finish(std::chrono::milliseconds limit) {
  if (!thread_.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    deadline_ = Clock::now() + limit;
  }
  wake_.notify_one();
  thread_.join();
}

void Proxy::run() {
  try {
    // Lanes and other ranks' proxies poll at the same time: spinning would take
    // processors from them if there are few.
    Backoff backoff(/*crowded=*/true);
    for (;;) {
      bool moved = takeAnnounced();
      moved |= rings_->carry();
      for (int rank : ranks_)
        moved |= rings_->carriers.progress(rank);
      if (!mayGoOn(backoff.sleeping()))
        break;
      if (moved)
        backoff.reset();
      else if (!backoff.sleeping() || rings_->isBusy())
        backoff.wait();
      else {
        // No lane here waits for anything, so what arrives now and then can
        // wait, too.
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait_for(lock, std::chrono::milliseconds(5),
                       [&] { return stopping_ || !announced_.empty(); });
      }
    }
  } catch (const std::bad_alloc &) {
    fail_({blinkSystemError, "no memory for channels over a network"});
  }
  if (!job_->failed())
    return;
  for (int rank : ranks_)
    rings_->carriers.abandon(rank);
  // A lane that failed the job has only stored its report. Other servers read
  // what is in the job's memory, so the reason must go there.
  fail_(failure_());
}

bool Proxy::takeAnnounced() {
  taken_.clear();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    taken_.swap(announced_);
  }
  for (const CarriedChunks &chunks : taken_)
    rings_->begin(chunks);
  return !taken_.empty();
}

bool Proxy::mayGoOn(bool sleeping) {
  if (job_->failed())
    return false;
  bool stopping;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (outOfMemory_)
      throw std::bad_alloc();
    stopping = stopping_ && announced_.empty();
  }
  if (stopping && (isDone() || Clock::now() > deadline_))
    return false;
  if (!sleeping)
    return true;
  const Status why = rings_->failure();
  if (why.ok())
    return true;
  fail_(why);
  return false;
}

bool Proxy::isDone() { return !rings_->isPosting() && rings_->flushed(); }

} // namespace blink::runtime
