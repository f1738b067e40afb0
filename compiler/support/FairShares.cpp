//===- FairShares.cpp - max-min fair sharing of links ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/support/FairShares.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <utility>

using namespace blink;

FairShares::FairShares(const std::vector<std::vector<uint32_t>> &paths,
                       std::vector<double> bandwidths)
    : weights_(paths.size()), links_(bandwidths.size()) {
  llvm::DenseMap<llvm::ArrayRef<uint32_t>, uint32_t> numbers;
  for (const std::vector<uint32_t> &path : paths) {
    auto [known, isNew] =
        numbers.try_emplace(llvm::ArrayRef(path), uint32_t(paths_.size()));
    if (isNew) {
      std::vector<uint32_t> once = path;
      llvm::sort(once);
      once.erase(std::unique(once.begin(), once.end()), once.end());
      Path &fresh = paths_.emplace_back();
      fresh.links = path;
      if (once.size() < path.size())
        fresh.repeated = std::move(once);
    }
    pathOf_.push_back(known->second);
  }
  for (auto [link, bandwidth] : llvm::zip_equal(links_, bandwidths))
    link.bandwidth = bandwidth;
  ends_ = FirstTime(paths_.size());
}

void FairShares::watch(std::function<void(const Span &)> watcher) {
  watcher_ = std::move(watcher);
  toldUntil_.resize(pathOf_.size());
}

void FairShares::change(uint32_t number) {
  if (std::exchange(paths_[number].changed, true))
    return;
  changed_.push_back(number);
}

void FairShares::touch(const Path &path) {
  for (uint32_t link : path.links)
    if (!std::exchange(links_[link].reached, true))
      touched_.push_back(link);
}

void FairShares::start(uint32_t channel, double size, double now,
                       double weight) {
  paths_[pathOf_[channel]].transfers.start(channel, size, weight, now);
  weights_[channel] = weight;
  if (watcher_)
    toldUntil_[channel] = now;
  change(pathOf_[channel]);
}

void FairShares::weigh(uint32_t channel, double weight, double now) {
  if (weights_[channel] == weight)
    return;
  Path &path = paths_[pathOf_[channel]];
  tell(channel, path.transfers.share() * weights_[channel], now);
  path.transfers.weigh(channel, weight, now);
  weights_[channel] = weight;
  change(pathOf_[channel]);
}

const std::vector<uint32_t> &FairShares::finish(double now) {
  ended_.clear();
  while (ends_.least() <= now) {
    const double time = ends_.least();
    const uint32_t number = ends_.first();
    PathTransfers &transfers = paths_[number].transfers;
    const double share = transfers.share();
    const uint32_t channel = transfers.pop(time);
    tell(channel, share * weights_[channel], time);
    ended_.push_back(channel);
    change(number);
    ends_.set(number, transfers.firstEnd());
  }
  llvm::sort(ended_);
  return ended_;
}

/// Adds a path, which now has transfers, to its links.
void FairShares::enter(uint32_t number) {
  for (uint32_t link : paths_[number].links)
    links_[link].paths.push_back(number);
}

/// Removes a path, which no longer has transfers, from its links.
void FairShares::leave(uint32_t number) {
  const Path &path = paths_[number];
  if (path.repeated.empty())
    for (uint32_t link : path.links) {
      std::vector<uint32_t> &others = links_[link].paths;
      *llvm::find(others, number) = others.back();
      others.pop_back();
    }
  // Removes all occurrences in one pass, because a tree of thousands of ranks
  // may use few links. The order of the rest is the same as after removing them
  // one by one.
  for (uint32_t link : path.repeated) {
    std::vector<uint32_t> &others = links_[link].paths;
    for (size_t at = 0; at < others.size();) {
      if (others[at] != number) {
        ++at;
        continue;
      }
      others[at] = others.back();
      others.pop_back();
    }
  }
}

/// Touches the links of those changed paths whose weight is not the same as at
/// the last divide(). The other changed paths keep their shares.
void FairShares::touchChanged(double now) {
  for (uint32_t number : changed_) {
    Path &path = paths_[number];
    path.changed = false;
    const double weight = path.transfers.weight();
    if (weight == path.weight) {
      give(number, path.share, now);
      continue;
    }
    if (path.weight == 0)
      enter(number);
    else if (weight == 0)
      leave(number);
    path.weight = weight;
    touch(path);
  }
  changed_.clear();
}

double FairShares::nextEnd(double now) {
  if (!changed_.empty())
    divide(now);
  return ends_.least();
}

void FairShares::setShare(uint32_t number, double share, double now) {
  Path &path = paths_[number];
  PathTransfers &transfers = path.transfers;
  path.divided = true;
  for (uint32_t link : path.links) {
    links_[link].free =
        std::max(0.0, links_[link].free - share * transfers.weight());
    links_[link].weight -= transfers.weight();
    --links_[link].open;
  }
  give(number, share, now);
}

/// Gives a path's transfers this share.
void FairShares::give(uint32_t number, double share, double now) {
  PathTransfers &transfers = paths_[number].transfers;
  paths_[number].share = share;
  if (share != transfers.share()) {
    if (watcher_)
      transfers.forEach([&](uint32_t channel, double weight) {
        tell(channel, transfers.share() * weight, now);
      });
    transfers.share(share, now);
  }
  ends_.set(number, transfers.firstEnd());
}

/// Reports the span in which a transfer has had its rate.
void FairShares::tell(uint32_t channel, double rate, double now) {
  if (!watcher_)
    return;
  if (rate > 0 && now > toldUntil_[channel])
    watcher_({channel, rate, toldUntil_[channel], now});
  toldUntil_[channel] = now;
}

/// Divides the touched links whose transfers, if any, use no other link, and
/// removes them from touched_. Such a link is shared evenly, whatever happens
/// elsewhere.
void FairShares::divideAlone(double now) {
  size_t others = 0;
  for (uint32_t number : touched_) {
    Link &link = links_[number];
    if (link.paths.size() > 1 ||
        (link.paths.size() == 1 &&
         paths_[link.paths.front()].links.size() > 1)) {
      touched_[others++] = number;
      continue;
    }
    link.reached = false;
    for (uint32_t path : link.paths)
      give(path, link.bandwidth / paths_[path].transfers.weight(), now);
  }
  touched_.resize(others);
}

/// Adds all links that share a path with a touched link to the touched ones.
void FairShares::reach() {
  for (size_t next = 0; next < touched_.size(); ++next) {
    Link &link = links_[touched_[next]];
    link.free = link.bandwidth;
    link.open = link.paths.size();
    link.weight = 0;
    work_ += 1 + link.paths.size();
    for (uint32_t number : link.paths) {
      Path &path = paths_[number];
      link.weight += path.transfers.weight();
      if (!path.divided)
        continue;
      path.divided = false;
      touch(path);
    }
  }
}

/// Links whose levels differ by less than this factor are filled together.
static constexpr double kRounding = 1 + 1e-12;

/// Gives this share to the paths over a link that have none yet.
void FairShares::fill(const Link &link, double share, double now) {
  for (uint32_t path : link.paths)
    if (!paths_[path].divided)
      setShare(path, share, now);
}

/// Fills the touched links, searching all of them for the next one each time,
/// which is faster than a heap if there are few. On a tie, the link that was
/// touched first is next.
void FairShares::fillFew(double now) {
  open_ = touched_;
  double share = 0;
  while (true) {
    Level least{kInfinity, 0};
    size_t kept = 0;
    for (uint32_t number : open_) {
      const Link &link = links_[number];
      if (link.open == 0)
        continue;
      open_[kept++] = number;
      const double level = link.level();
      if (level < least.share)
        least = {level, number};
    }
    if (kept == 0)
      return;
    open_.resize(kept);
    if (least.share > share * kRounding)
      share = least.share;
    fill(links_[least.link], share, now);
  }
}

/// Fills the touched links, taking the next one from a heap.
void FairShares::fillMany(double now) {
  for (uint32_t link : touched_)
    if (links_[link].open > 0)
      levels_.push({links_[link].level(), link});
  double share = 0;
  while (!levels_.empty()) {
    const Level least = levels_.top();
    levels_.pop();
    const Link &link = links_[least.link];
    if (link.open == 0)
      continue;
    // Paths filled at other links have raised this link's level since it was
    // pushed.
    const double level = link.level();
    if (level > std::max(share, least.share) * kRounding) {
      levels_.push({level, least.link});
      continue;
    }
    if (level > share * kRounding)
      share = level;
    fill(link, share, now);
  }
}

/// Progressive filling: the links with the least bandwidth per weight of their
/// transfers fix the shares of these transfers; the other links divide the
/// rest.
void FairShares::divide(double now) {
  constexpr size_t kFewLinks = 48;
  touchChanged(now);
  divideAlone(now);
  reach();
  if (touched_.size() <= kFewLinks)
    fillFew(now);
  else
    fillMany(now);
  for (uint32_t link : touched_)
    links_[link].reached = false;
  touched_.clear();
}
