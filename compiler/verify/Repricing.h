//===- Repricing.h - the certificate, computed again ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_REPRICING_H
#define BLINK_COMPILER_VERIFY_REPRICING_H

#include "compiler/verify/PathRules.h"

namespace blink::verify {

/// Most ranks whose certificate is re-priced, unless they are alike
/// (AlikeRanks.h): memory grows with their square.
inline constexpr uint32_t kMaxPricedRanks = 4096;

/// What the cheapest trees of a program cost.
struct TreeCosts {
  std::vector<double> paths; ///< as of cheapestPathPrices
  double cheapest = 0;       ///< of one GB/s of algbw, at these prices
};

struct Repricing {
  double bound = 0; ///< GB/s; 0 when there is a problem
  Failure problem;  ///< prices that prove nothing
  TreeCosts costs = {};
};

/// The bound that the certificate's prices prove. For prices p >= 0 on the
/// usable links, any forest of weights w_t that fits the links has
///
///     sum over t of w_t x cost(t)  <=  sum over links of p x bandwidth
///
/// where cost(t) adds up the prices of the links tree t uses, each as often as
/// it uses them, and is at least cost(root): of the cheapest arborescence over
/// cheapest drivable paths, or where trees are chains (gather, scatter,
/// alltoall) the sum of the cheapest paths between the root and every other
/// rank. So:
///   broadcast, reduce          rate <= sum / cost(root)
///   allreduce                  rate <= sum / min over roots of (in + out)
///   gather, scatter            rate <= n x sum / cost(root)
///   allgather, reducescatter,  rate <= n x sum / sum over roots of cost(root)
///   alltoall
/// A program with trees for which switches work (sched::SwitchUse) may have any
/// such tree: where a switch that can reduce is linked with all ranks, an
/// in-tree costs no more than the links from all ranks to it and the one from
/// it to the root; an out-tree likewise; and where one does both, the same
/// does.
/// Infinite for one rank.
Repricing reprice(const TopologyView &machine, const sched::Program &program);
/// The same with other prices than those of the program's certificate, one a
/// link. Where paths between ranks cost what they do in `known`, of the same
/// program, so do its trees, which are not searched again.
/// `roots`: ranks whose trees cost on average, and at the least, what those of
/// all ranks do; empty: these.
Repricing reprice(const TopologyView &machine, const sched::Program &program,
                  const std::vector<double> &prices,
                  const TreeCosts &known = {},
                  const std::vector<uint32_t> &roots = {});

/// The price of the cheapest drivable path of each ordered pair of ranks,
/// [from * numRanks + to]; infinite where there is none, and from a rank to
/// itself. `prices` has one entry a link, each >= 0.
std::vector<double> cheapestPathPrices(const TopologyView &machine,
                                       const std::vector<double> &prices);
/// The same from one rank to each, without relays.
std::vector<double> cheapestPathPricesFrom(const TopologyView &machine,
                                           const std::vector<double> &prices,
                                           uint32_t source);

/// Prices that are none, or not of links that may be used.
Failure checkPrices(const TopologyView &machine,
                    const std::vector<double> &prices);
/// What `prices` prove where one GB/s of algbw costs at least `cost`.
Repricing boundOf(const TopologyView &machine,
                  const std::vector<double> &prices, double cost);

/// Whether switches work for trees of the program.
bool usesSwitches(const sched::Program &program);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_REPRICING_H
