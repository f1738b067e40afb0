//===- FairShares.cpp - links that share themselves fairly ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/support/FairShares.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace blink;

FairShares::FairShares(std::vector<std::vector<uint32_t>> paths,
                       std::vector<double> bandwidths)
    : paths_(std::move(paths)), bandwidths_(std::move(bandwidths)),
      transfers_(paths_.size()), links_(bandwidths_.size()) {}

void FairShares::touch(uint32_t link) {
  if (links_[link].reached)
    return;
  links_[link].reached = true;
  touched_.push_back(link);
}

void FairShares::start(uint32_t channel, double size, double now,
                       double weight) {
  Transfer &transfer = transfers_[channel];
  transfer.left = size;
  transfer.rate = 0;
  transfer.weight = weight;
  transfer.since = now;
  for (uint32_t link : paths_[channel]) {
    links_[link].transfers.push_back(channel);
    touch(link);
  }
}

void FairShares::weigh(uint32_t channel, double weight) {
  if (transfers_[channel].weight == weight)
    return;
  transfers_[channel].weight = weight;
  for (uint32_t link : paths_[channel])
    touch(link);
}

void FairShares::queue(uint32_t channel) {
  Transfer &transfer = transfers_[channel];
  transfer.queued = transfer.end;
  ends_.push({transfer.end, channel});
}

/// Of all transfers; null if there is none. One that was slowed down is only
/// now put where it belongs: most are before their turn.
const FairShares::End *FairShares::firstEnd() {
  while (!ends_.empty()) {
    const End &first = ends_.top();
    const Transfer &transfer = transfers_[first.channel];
    if (first.time == transfer.end)
      return &first;
    const uint32_t channel = first.channel;
    const bool late = first.time == transfer.queued;
    ends_.pop();
    if (late && transfer.end != kInfinity)
      queue(channel);
  }
  return nullptr;
}

const std::vector<uint32_t> &FairShares::finish(double now) {
  ended_.clear();
  for (const End *end = firstEnd(); end && end->time <= now; end = firstEnd()) {
    const uint32_t channel = end->channel;
    tell(channel, end->time);
    transfers_[channel].end = transfers_[channel].queued = kInfinity;
    ended_.push_back(channel);
    for (uint32_t link : paths_[channel]) {
      std::vector<uint32_t> &over = links_[link].transfers;
      *llvm::find(over, channel) = over.back();
      over.pop_back();
      touch(link);
    }
  }
  llvm::sort(ended_);
  return ended_;
}

double FairShares::nextEnd(double now) {
  if (!touched_.empty())
    divide(now);
  const End *end = firstEnd();
  return end ? end->time : kInfinity;
}

void FairShares::setRate(uint32_t channel, double rate, double now) {
  Transfer &transfer = transfers_[channel];
  transfer.divided = true;
  for (uint32_t link : paths_[channel]) {
    links_[link].free = std::max(0.0, links_[link].free - rate);
    links_[link].weight -= transfer.weight;
    --links_[link].open;
  }
  if (rate == transfer.rate)
    return;
  tell(channel, now);
  transfer.left =
      std::max(0.0, transfer.left - transfer.rate * (now - transfer.since));
  transfer.since = now;
  transfer.rate = rate;
  transfer.end = now + transfer.left / rate;
  if (transfer.end < transfer.queued)
    queue(channel);
}

/// Of the time that a transfer has had its rate.
void FairShares::tell(uint32_t channel, double now) const {
  const Transfer &transfer = transfers_[channel];
  if (watcher_ && transfer.rate > 0 && now > transfer.since)
    watcher_({channel, transfer.rate, transfer.since, now});
}

/// Adds to the touched links all that share a transfer with one of them.
void FairShares::reach() {
  for (size_t next = 0; next < touched_.size(); ++next) {
    Link &link = links_[touched_[next]];
    link.free = bandwidths_[touched_[next]];
    link.open = link.transfers.size();
    link.weight = 0;
    for (uint32_t channel : link.transfers) {
      Transfer &transfer = transfers_[channel];
      link.weight += transfer.weight;
      if (!transfer.divided)
        continue;
      transfer.divided = false;
      for (uint32_t other : paths_[channel])
        touch(other);
    }
  }
}

/// Progressive filling: the links that have least for the weights of their
/// transfers set these' rates, and the others share what is left.
void FairShares::divide(double now) {
  // Links whose shares differ by less are filled together.
  constexpr double kRounding = 1 + 1e-12;
  reach();
  while (true) {
    double least = kInfinity;
    for (uint32_t link : touched_)
      if (links_[link].open > 0)
        least = std::min(least, links_[link].free / links_[link].weight);
    if (least == kInfinity)
      break;
    for (uint32_t number : touched_) {
      const Link &link = links_[number];
      if (link.open == 0 || link.free > least * kRounding * link.weight)
        continue;
      for (uint32_t channel : link.transfers)
        if (!transfers_[channel].divided)
          setRate(channel, least * transfers_[channel].weight, now);
    }
  }
  for (uint32_t link : touched_)
    links_[link].reached = false;
  touched_.clear();
}
