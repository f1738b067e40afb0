//===- Repricing.h - the certificate, computed again ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_REPRICING_H
#define BLINK_COMPILER_VERIFY_REPRICING_H

#include "compiler/verify/PathRules.h"

namespace blink::verify {

/// Most ranks for which a certificate is re-priced, unless they are alike
/// (AlikeRanks.h): memory grows with their square.
inline constexpr uint32_t kMaxPricedRanks = 4096;

/// What the cheapest trees of a program cost.
struct TreeCosts {
  std::vector<double> paths; ///< of cheapestPathPrices
  double cheapest = 0;       ///< cost of one GB/s of algbw at these prices
};

struct Repricing {
  double bound = 0; ///< GB/s; 0 if there is a problem
  Failure problem;  ///< why the prices prove nothing
  TreeCosts costs = {};
};

/// Returns the bound that the certificate's prices prove. For prices p >= 0 on
/// the usable links, any forest of weights w_t that fits the links has
///
///     sum over t of w_t x cost(t)  <=  sum over links of p x bandwidth
///
/// where cost(t) adds up the prices of the links that tree t uses, each as
/// often as it uses them. It is at least cost(root), which is the cost of the
/// cheapest arborescence over cheapest drivable paths or, where trees are
/// chains (gather, scatter, alltoall), the sum of the cheapest paths between
/// the root and every other rank. So:
///   broadcast, reduce          rate <= sum / cost(root)
///   allreduce                  rate <= sum / min over roots of (in + out)
///   gather, scatter            rate <= n x sum / cost(root)
///   allgather, reducescatter,  rate <= n x sum / sum over roots of cost(root)
///   alltoall
/// A program with trees for which switches work (sched::SwitchUse) may have any
/// such tree. If a switch that can reduce is linked with all ranks, an in-tree
/// costs no more than the links from all ranks to it and the one from it to the
/// root. The same holds for an out-tree and a switch that can multicast; if a
/// switch does both for a tree, it is the same switch. The bound is infinite
/// for one rank.
Repricing reprice(const TopologyView &machine, const sched::Program &program);
/// Does the same with other prices than those of the program's certificate, one
/// for each link. If paths between ranks cost the same as in `known`, which
/// must be of the same program, so do its trees, and they are not searched
/// again. `roots`: ranks whose trees have the same average and least cost as
/// those of all ranks; empty: all ranks.
Repricing reprice(const TopologyView &machine, const sched::Program &program,
                  const std::vector<double> &prices,
                  const TreeCosts &known = {},
                  const std::vector<uint32_t> &roots = {});

/// Returns the price of the cheapest drivable path of each ordered pair of
/// ranks as [from * numRanks + to]; infinite if there is none, and from a rank
/// to itself. `prices` has one entry for each link, each >= 0.
std::vector<double> cheapestPathPrices(const TopologyView &machine,
                                       const std::vector<double> &prices);
/// Returns the same from one rank to each, without paths over relays.
std::vector<double> cheapestPathPricesFrom(const TopologyView &machine,
                                           const std::vector<double> &prices,
                                           uint32_t source);

/// Fails if some prices are not valid, or not 0 on links that may not be used.
Failure checkPrices(const TopologyView &machine,
                    const std::vector<double> &prices);
/// Returns the bound that `prices` prove if one GB/s of algbw costs at least
/// `cost`.
Repricing boundOf(const TopologyView &machine,
                  const std::vector<double> &prices, double cost);

/// Returns true if switches work for trees of the program.
bool usesSwitches(const sched::Program &program);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_REPRICING_H
