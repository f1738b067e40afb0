//===- LinkRates.h - from rates of copies to rates of links -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PROBE_MEASURE_LINKRATES_H
#define BLINK_COMPILER_PROBE_MEASURE_LINKRATES_H

#include "compiler/probe/measure/Sampling.h"

namespace blink {

/// What is known of a link.
struct LinkRate {
  enum Source {
    notMeasured, ///< no copy crossed it: nominal
    atLeast,     ///< copies did, but something else held them back: nominal
    measured,
    heldBack, ///< measured, and less when others copy, too
  };
  Source source = notMeasured;
  double bandwidth = 0; ///< GB/s to plan with
  double alone = 0;     ///< the most that crossed it with one route; 0: none
  double together = 0;  ///< the same with several; 0: none
  double spread = 0;    ///< of the run that `bandwidth` comes from
};

/// The rate of each link of `topology`, whose bandwidths are nominal.
///
/// What a link has carried, it can carry: the greatest sum of routes across it
/// in any run. It counts as measured if it has held a route back: it was the
/// only full link on that route, in some run; or one of several, of which none
/// has been the only one elsewhere, and the narrowest by nominal rates. Other
/// links keep their nominal rates, unless they have carried more.
///
/// Then, from the first run of several routes to the last, a route that none of
/// its links has held back has met what the topology does not have: a switch or
/// a host that does not carry all at once. The links on it that were nearest to
/// full get what they carried then, since schedules use all links at once.
///
/// Links of one kind and nominal rate that differ by no more than kAlike get
/// the least of their rates, so that a machine stays as symmetrical as it is;
/// rates are rounded to three digits.
std::vector<LinkRate> linkRates(const Topology &topology,
                                const MeasurePlan &plan,
                                llvm::ArrayRef<RunRates> runs);

inline constexpr double kAlike = 0.03;

/// A line a link: "gpu2 - gpu6, nvlink: 22.1 instead of 50; alone 22.1,
/// together 22.1, spread 0.3 %"; with an arrow where the other direction has
/// another rate. Links without a measured rate come last, those of a kind that
/// nothing crossed as one.
std::vector<std::string> describe(const Topology &topology,
                                  llvm::ArrayRef<LinkRate> rates);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_MEASURE_LINKRATES_H
