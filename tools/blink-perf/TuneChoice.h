//===- TuneChoice.h - crossing points from measured times -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Pure functions: times in, choices out.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_TUNECHOICE_H
#define BLINK_TOOLS_BLINKPERF_TUNECHOICE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace blink::perf {

/// What takes at most so much longer than the fastest is as good: noise must
/// not move anything.
inline constexpr double kNoticed = 0.03;

/// times[i][s]: seconds that choice i takes at size number s.
using Times = std::vector<std::vector<double>>;

/// Which variant serves `size`, of those that start at `starts`, from 0 up.
size_t variantFor(const std::vector<uint64_t> &starts, uint64_t size);

/// The size in bytes at which each variant is to start: where the sum over
/// `sizes` of the time lost to the fastest variant, each relative to that
/// (nothing where it is kNoticed at most), is the least; of several such, where
/// the fewest sizes change hands. `sizes` grow, each at least twice the one
/// before; `starts` are where the variants start now, and keep their order.
///
/// Sizes above the last are unknown: as few as possible change hands. A start
/// that moves past none of the sizes stays what it is, to the byte. A variant
/// that no longer serves any of the sizes keeps a byte: ranges are never empty.
/// Before the first size that byte is size 0, or 1, ...; elsewhere it is the
/// one below the start of the variant that took over.
std::vector<uint64_t> chooseStarts(const std::vector<uint64_t> &sizes,
                                   const Times &times,
                                   const std::vector<uint64_t> &starts);

/// The choice whose times, each relative to the fastest at its size, have the
/// least mean; `current`, unless that loses more than kNoticed to it.
size_t chooseFastest(const Times &times, size_t current);

/// What an undisturbed run takes, of several: the second least. Disturbance
/// adds time, so that a median or a mean tells how busy the machine was; the
/// least is now and then a lucky one. 0 for none.
double usual(std::vector<double> values);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_TUNECHOICE_H
