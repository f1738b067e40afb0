//===- FairShares.cpp - links that share themselves fairly ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/simulate/FairShares.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

using namespace blink;

static constexpr double kNever = std::numeric_limits<double>::infinity();
/// What rounding may leave of a transfer.
static constexpr double kNothing = 1e-6;

FairShares::FairShares(const FoldProgram &program)
    : program_(program), free_(program.links.size()),
      open_(program.links.size()), over_(program.links.size()) {}

void FairShares::settle(double now) {
  for (Transfer &transfer : transfers_)
    transfer.left -= transfer.rate * (now - settled_);
  settled_ = now;
}

void FairShares::start(uint32_t channel, double bytes, double now) {
  settle(now);
  transfers_.push_back({channel, bytes, 0});
  divided_ = false;
}

double FairShares::nextEnd() {
  if (!divided_)
    divide();
  return nextEnd_;
}

std::vector<uint32_t> FairShares::finish(double now) {
  settle(now);
  std::vector<uint32_t> ended;
  llvm::erase_if(transfers_, [&](const Transfer &transfer) {
    if (transfer.left > kNothing)
      return false;
    ended.push_back(transfer.channel);
    return true;
  });
  if (!ended.empty())
    divided_ = false;
  llvm::sort(ended);
  return ended;
}

void FairShares::divide() {
  constexpr double kUnset = -1;
  used_.clear();
  for (uint32_t t = 0; t < transfers_.size(); ++t) {
    transfers_[t].rate = kUnset;
    for (uint32_t link :
         program_.pathOf(program_.channels[transfers_[t].channel])) {
      if (over_[link].empty()) {
        used_.push_back(link);
        free_[link] = program_.links[link].bandwidth * kBytesPerMicrosecond;
      }
      over_[link].push_back(t);
    }
  }
  for (uint32_t link : used_)
    open_[link] = uint32_t(over_[link].size());

  while (true) {
    uint32_t tightest = 0;
    double least = kNever;
    for (uint32_t link : used_)
      if (open_[link] > 0 && free_[link] / open_[link] < least) {
        tightest = link;
        least = free_[link] / open_[link];
      }
    if (least == kNever)
      break;
    for (uint32_t t : over_[tightest]) {
      Transfer &transfer = transfers_[t];
      if (transfer.rate != kUnset)
        continue;
      transfer.rate = least;
      for (uint32_t link :
           program_.pathOf(program_.channels[transfer.channel])) {
        free_[link] = std::max(0.0, free_[link] - least);
        --open_[link];
      }
    }
  }

  nextEnd_ = kNever;
  for (const Transfer &transfer : transfers_)
    nextEnd_ = std::min(nextEnd_, settled_ + std::max(0.0, transfer.left) /
                                                 transfer.rate);
  for (uint32_t link : used_)
    over_[link].clear();
  divided_ = true;
}
