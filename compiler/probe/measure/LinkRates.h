//===- LinkRates.h - from rates of copies to rates of links -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PROBE_MEASURE_LINKRATES_H
#define BLINK_COMPILER_PROBE_MEASURE_LINKRATES_H

#include "compiler/probe/measure/Sampling.h"

namespace blink {

/// The known rates of a link.
struct LinkRate {
  enum Source {
    notMeasured, ///< no copy crossed it: nominal
    atLeast,     ///< something else limited the copies: nominal
    measured,
    heldBack, ///< measured, and lower when other links are busy
  };
  Source source = notMeasured;
  double bandwidth = 0; ///< GB/s to plan with
  double alone = 0;     ///< GB/s, the most in runs of one route; 0: none
  double together = 0;  ///< GB/s, the most in runs of several; 0: none
  double spread = 0;    ///< of the run that gave `bandwidth`
};

/// Returns the rate of each link of `topology`, whose bandwidths are nominal.
///
/// A link can carry what it has carried: the greatest sum of routes across it
/// in any run. This counts as the measured rate if the link has limited a
/// route. That is so if it was the only full link on the route in some run. If
/// several links were full, and none of them was the only one on another route,
/// it is so for the narrowest of them by nominal rates. Other links keep their
/// nominal rates, unless they have carried more.
///
/// Then the runs of several routes are examined from first to last. If no link
/// of a route was full, the route met a limit that the topology does not have:
/// a switch or a host that cannot carry everything at once. The links of the
/// route that were closest to full get the rate that they had then, since
/// schedules use all links at once.
///
/// Links of one kind and nominal rate whose rates differ by no more than kAlike
/// all get the lowest of these, which preserves the machine's symmetry. Rates
/// are rounded to three digits.
std::vector<LinkRate> linkRates(const Topology &topology,
                                const MeasurePlan &plan,
                                llvm::ArrayRef<RunRates> runs);

inline constexpr double kAlike = 0.03;

/// Returns a line for each link: "gpu2 - gpu6, nvlink: 22.1 instead of 50;
/// alone 22.1, together 22.1, spread 0.3 %", with an arrow if the other
/// direction has another rate. Links without a measured rate come last; those
/// of a kind that no copy crossed share one line.
std::vector<std::string> describe(const Topology &topology,
                                  llvm::ArrayRef<LinkRate> rates);

} // namespace blink

#endif // BLINK_COMPILER_PROBE_MEASURE_LINKRATES_H
