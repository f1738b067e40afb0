//===- PartMatch.cpp - matching a machine to a type -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Places the nodes of the machine one after the other, along links, and
// backtracks when more pairs are thin than allowed: none at first, then one,
// and so on.
//
//===----------------------------------------------------------------------===//

#include "compiler/machines/PartMatch.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace blink;

namespace {

constexpr double kTolerance = 0.04;
constexpr int kMostThin = 8;
constexpr int kMostMissing = 2; // pairs without a link
constexpr int kMostSteps = 20000;

/// Returns the range of a kind's rates as parts of the type's rates. NCCL
/// counts 0.76 of PCIe and 0.8 to 0.9 of NVLinks, RCCL counts 0.52 to 0.75 of
/// xGMI, and both count little of the links between CPUs.
std::pair<double, double> scaleRange(LinkKind kind) {
  if (kind == LinkKind::host)
    return {0.1, 2.5};
  return {kind == LinkKind::xgmi ? 0.5 : 0.74, 1.05};
}

bool isAbout(double rate, double expected) {
  return std::abs(rate - expected) <= kTolerance * expected;
}

/// A machine's rates between two nodes, compared with a type's.
enum class Comparison { same, thinner, other };

class Matcher {
public:
  Matcher(const MachinePart &type, const MachinePart &machine)
      : type_(type), machine_(machine), size_(type.numNodes()) {}

  std::optional<PartMatch> run() {
    if (type_.kinds != machine_.kinds || !findScale())
      return std::nullopt;
    fill(typeRates_, type_, /*isMachine=*/false);
    fill(machineRates_, machine_, /*isMachine=*/true);
    twinOf_ = findTwins(type_);
    orderNodes();
    const int most = std::min(kMostThin, type_.numPairs() / 4);
    for (most_ = 0; most_ <= most; ++most_) {
      match_.images.assign(size_, -1);
      isTaken_.assign(size_, false);
      if (place(0, 0)) {
        listThinPairs();
        if (llvm::count_if(match_.thin, [](const ThinPair &pair) {
              return pair.left == 0;
            }) > kMostMissing)
          return std::nullopt;
        return std::move(match_);
      }
    }
    return std::nullopt;
  }

private:
  using Table = std::vector<const PairRates *>;

  bool findScale() {
    for (LinkKind kind : sched::EnumValuesLinkKind()) {
      const double expected = type_.fastest(kind), has = machine_.fastest(kind);
      if (has == 0)
        continue; // no such links are left: thin pairs
      const auto [least, most] = scaleRange(kind);
      const double scale = has / expected;
      if (expected == 0 || scale < least || scale > most)
        return false;
      match_.scale[kind] = scale;
    }
    return true;
  }

  /// Fills the table of rates between each two nodes. The machine's rates are
  /// scaled to the type's.
  void fill(Table &table, const MachinePart &part, bool isMachine) {
    static const PairRates none;
    table.assign(size_t(size_) * size_, &none);
    for (const auto &[ends, rates] : part.rates) {
      const PairRates *entry = &rates;
      if (isMachine) {
        PairRates scaled = rates;
        for (auto &[kind, rate] : scaled)
          rate /= match_.scale.at(kind);
        entry = &(scaled_[ends] = std::move(scaled));
      }
      table[size_t(ends.first) * size_ + ends.second] = entry;
    }
  }
  const PairRates &typeRates(int from, int to) const {
    return *typeRates_[size_t(from) * size_ + to];
  }
  const PairRates &machineRates(int from, int to) const {
    return *machineRates_[size_t(from) * size_ + to];
  }

  /// Orders nodes: the first node, then always the node with the most links to
  /// earlier ones.
  void orderNodes() {
    std::vector<int> links(size_, 0);
    std::vector<char> isDone(size_, false);
    while (static_cast<int>(order_.size()) < size_) {
      int next = -1;
      for (int node = 0; node < size_; ++node)
        if (!isDone[node] && (next < 0 || links[node] > links[next]))
          next = node;
      isDone[next] = true;
      order_.push_back(next);
      for (int other = 0; other < size_; ++other)
        links[other] += !machineRates(next, other).empty();
    }
  }

  Comparison compare(const PairRates &type, const PairRates &machine) const {
    if (machine.empty() && !type.empty())
      return Comparison::thinner;
    if (machine.size() != type.size())
      return Comparison::other;
    bool isThinner = false;
    for (auto has = machine.begin(), expected = type.begin();
         has != machine.end(); ++has, ++expected) {
      if (has->first != expected->first)
        return Comparison::other;
      if (isAbout(has->second, expected->second))
        continue;
      // One limit cannot describe links of several kinds.
      if (has->second > expected->second || type.size() > 1)
        return Comparison::other;
      isThinner = true;
    }
    return isThinner ? Comparison::thinner : Comparison::same;
  }

  /// Compares both directions. They must be alike for a pair to be thinner,
  /// since a limit applies to both.
  Comparison comparePair(int node, int image, int other, int otherImage) const {
    const PairRates &forth = machineRates(node, other);
    const PairRates &back = machineRates(other, node);
    Comparison first = compare(typeRates(image, otherImage), forth);
    Comparison second = compare(typeRates(otherImage, image), back);
    if (first != second)
      return Comparison::other;
    if (first == Comparison::thinner && !forth.empty() &&
        !isAbout(forth.begin()->second, back.begin()->second))
      return Comparison::other;
    return first;
  }

  /// Returns the number of thin pairs of a node and those placed before it, or
  /// -1 if it does not fit there.
  int cost(int depth, int node, int image) const {
    int thin = 0;
    for (int before = 0; before < depth; ++before) {
      const int other = order_[before];
      Comparison result = comparePair(node, image, other, match_.images[other]);
      if (result == Comparison::other)
        return -1;
      thin += result == Comparison::thinner;
    }
    return thin;
  }

  /// Places order_[depth] and all nodes after it. There are `thin` thin pairs
  /// so far.
  bool place(int depth, int thin) {
    if (depth == size_)
      return true;
    const int node = order_[depth];
    std::vector<char> isTried(size_, false); // by twinOf_
    for (int choice = -1; choice < size_; ++choice) {
      const int image = choice < 0 ? node : choice;
      if (isTaken_[image] || isTried[twinOf_[image]] ||
          type_.kinds[image] != machine_.kinds[node])
        continue;
      isTried[twinOf_[image]] = true;
      if (++steps_ > kMostSteps)
        return false;
      const int more = cost(depth, node, image);
      if (more < 0 || thin + more > most_)
        continue;
      match_.images[node] = image;
      isTaken_[image] = true;
      if (place(depth + 1, thin + more))
        return true;
      isTaken_[image] = false;
    }
    return false;
  }

  void listThinPairs() {
    std::vector<int> nodeAt(size_);
    for (int node = 0; node < size_; ++node)
      nodeAt[match_.images[node]] = node;
    for (int a = 0; a < size_; ++a)
      for (int b = a + 1; b < size_; ++b) {
        if (comparePair(nodeAt[a], a, nodeAt[b], b) != Comparison::thinner)
          continue;
        const PairRates &rates = machineRates(nodeAt[a], nodeAt[b]);
        match_.thin.push_back(
            {a, b, rates.empty() ? 0 : rates.begin()->second});
      }
  }

  const MachinePart &type_, &machine_;
  const int size_;
  std::map<std::pair<int, int>, PairRates> scaled_;
  Table typeRates_, machineRates_;
  std::vector<int> twinOf_; // findTwins
  std::vector<int> order_;
  std::vector<char> isTaken_;
  int most_ = 0;
  int steps_ = 0;
  PartMatch match_;
};

} // namespace

double PartMatch::distance() const {
  double most = 0;
  for (auto [kind, factor] : scale)
    if (kind != LinkKind::host)
      most = std::max(most, std::abs(factor - 1));
  return most;
}

double PartMatch::hostDistance() const {
  auto host = scale.find(LinkKind::host);
  return host == scale.end() ? 0 : std::abs(host->second - 1);
}

std::optional<PartMatch> blink::matchPart(const MachinePart &type,
                                          const MachinePart &machine) {
  return Matcher(type, machine).run();
}
