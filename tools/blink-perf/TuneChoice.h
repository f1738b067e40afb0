//===- TuneChoice.h - crossing points from measured times -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Pure functions from times to choices.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_TUNECHOICE_H
#define BLINK_TOOLS_BLINKPERF_TUNECHOICE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace blink::perf {

/// A time that exceeds the fastest by no more than this fraction counts as
/// equally good, so that noise does not change any choice.
inline constexpr double kNoticed = 0.03;

/// times[i][s]: seconds that choice i takes at the size with number s.
using Times = std::vector<std::vector<double>>;

/// Returns the variant that serves `size`. `starts` ascend from 0.
size_t variantFor(const std::vector<uint64_t> &starts, uint64_t size);

/// Returns the size in bytes at which each variant should start. The starts
/// minimize the total loss over `sizes`: the loss at a size is the time beyond
/// the fastest variant's, relative to it, or 0 if it is at most kNoticed. On a
/// tie, as few sizes as possible change their variant. `sizes` ascend, each to
/// at least twice the one before; `starts` are the present starts, and keep
/// their order.
///
/// Nothing is known about sizes above the last, so as few of them as possible
/// change their variant. A start that does not move past any of the sizes keeps
/// its exact value. A variant that no longer serves any of the sizes keeps one
/// byte, as ranges must not be empty. Before the first size these bytes are 0,
/// 1, ...; elsewhere they are just below the start of the variant that took
/// over.
std::vector<uint64_t> chooseStarts(const std::vector<uint64_t> &sizes,
                                   const Times &times,
                                   const std::vector<uint64_t> &starts);

/// Returns the choice with the least mean of its times, each relative to the
/// fastest at its size; returns `current` if its mean is no more than kNoticed
/// above that.
size_t chooseFastest(const Times &times, size_t current);

/// Returns the time of an undisturbed run among `values`: the second least.
/// Disturbance only adds time, so medians and means depend on how busy the
/// machine was, while the least is occasionally an outlier. 0 if there are no
/// values.
double usual(std::vector<double> values);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_TUNECHOICE_H
