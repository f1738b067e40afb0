//===- PathTransfers.cpp - transfers that share a path --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/support/PathTransfers.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace blink;

void PathTransfers::moveClock(double now) {
  clock_ += share_ * (now - since_);
  since_ = now;
}

void PathTransfers::start(uint32_t channel, double size, double weight,
                          double now) {
  moveClock(now);
  ends_.push_back({clock_ + size / weight, channel, weight});
  std::push_heap(ends_.begin(), ends_.end());
  weight_ += weight;
}

void PathTransfers::weigh(uint32_t channel, double weight, double now) {
  moveClock(now);
  End &end = *llvm::find_if(
      ends_, [&](const End &end) { return end.channel == channel; });
  weight_ += weight - end.weight;
  end.clock = clock_ + (end.clock - clock_) * end.weight / weight;
  end.weight = weight;
  std::make_heap(ends_.begin(), ends_.end());
}

void PathTransfers::share(double share, double now) {
  moveClock(now);
  share_ = share;
}

double PathTransfers::firstEnd() const {
  if (empty() || share_ <= 0)
    return kInfinity;
  return since_ + std::max(0.0, ends_.front().clock - clock_) / share_;
}

uint32_t PathTransfers::pop(double now) {
  const End first = ends_.front();
  std::pop_heap(ends_.begin(), ends_.end());
  ends_.pop_back();
  weight_ -= first.weight;
  if (empty()) { // restart the clock at 0, where it is exact
    weight_ = clock_ = share_ = 0;
    since_ = now;
  }
  return first.channel;
}
