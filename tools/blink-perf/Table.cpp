//===- Table.cpp - results as tables --------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Table.h"

#include "tools/replay/Samples.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <map>

namespace blink::perf {
namespace {

/// Formats a time with three or more digits, in a column as wide as
/// nccl-tests'.
std::string formatTime(double seconds) {
  const double us = seconds * 1e6;
  char text[40];
  std::snprintf(text, sizeof text,
                us >= 10000 ? "%.0f"
                : us >= 100 ? "%.1f"
                            : "%.2f",
                us);
  return text;
}

std::string formatMeasure(const Options &options, const Case &c,
                          const Measure &measure) {
  char text[120];
  const std::string wrong =
      options.check ? std::to_string(measure.wrong) : "N/A";
  std::snprintf(text, sizeof text, "  %8s %7.2f %7.2f %6s",
                formatTime(measure.seconds).c_str(), measure.algbw(c),
                measure.busbw(c), wrong.c_str());
  return text;
}

} // namespace

std::string formatSize(uint64_t bytes) {
  static const char *const kUnits[] = {"", "K", "M", "G"};
  int unit = 0;
  while (unit < 3 && bytes != 0 && bytes % 1024 == 0)
    bytes /= 1024, ++unit;
  return std::to_string(bytes) + kUnits[unit];
}

double Measure::algbw(const Case &c) const {
  return seconds > 0 ? double(c.bytes()) / seconds * 1e-9 : 0;
}

uint64_t Summary::wrong() const {
  uint64_t wrong = 0;
  for (const Row &row : rows)
    wrong += row.out.wrong + row.in.wrong;
  return wrong;
}

uint64_t Summary::carryingChannels() const {
  // A variant may run with several types and operators.
  std::map<uint32_t, uint32_t> variants;
  for (const Row &row : rows)
    variants[row.c.variant] = std::max(variants[row.c.variant], row.c.carrying);
  uint64_t sum = 0;
  for (const auto &[variant, carrying] : variants)
    sum += carrying;
  return sum;
}

double Summary::averageBusbw() const {
  double sum = 0;
  size_t measures = 0;
  for (const Row &row : rows) {
    sum +=
        row.out.busbw(row.c) + (row.c.hasInPlace() ? row.in.busbw(row.c) : 0);
    measures += row.c.hasInPlace() ? 2 : 1;
  }
  return measures == 0 ? 0 : sum / double(measures);
}

const char *nameOf(blinkBackend_t backend) {
  return backend == blinkBackendCuda ? "cuda" : "host";
}

static void printSizes(const Options &options) {
  std::printf(
      "# blink-perf %s: sizes %s to %s, %s %s; %d warm-up and %d timed "
      "iterations, %s\n",
      BLINK_VERSION_STRING, formatSize(options.minBytes).c_str(),
      formatSize(options.maxBytes).c_str(),
      options.stepBytes ? "step" : "factor",
      formatSize(options.stepBytes ? options.stepBytes : options.stepFactor)
          .c_str(),
      options.warmup, options.iterations,
      options.check ? "checked" : "not checked");
}

void printTitle(const Options &options, const Plan &plan) {
  if (options.selfTest)
    std::printf("# blink-perf %s: self-test of every variant, every element "
                "checked\n",
                BLINK_VERSION_STRING);
  else
    printSizes(options);
  if (plan.numLeftOut != 0)
    std::printf("# %d programs are for another number of ranks and left out "
                "(--ranks)\n",
                plan.numLeftOut);
  for (const std::string &reason : plan.leftOut)
    std::printf("# left out: %s\n", reason.c_str());
  if (options.graphLaunches != 0)
    std::printf("# each iteration is a CUDA graph of %d launches\n",
                options.graphLaunches);
}

void printHeader(const Options &options, const Plan &plan,
                 const Section &section) {
  std::printf("#\n# %s: %d ranks, back end %s, mode %s\n",
              section.collective.c_str(), plan.numPrograms,
              nameOf(options.backend), nameOf(options.mode));
  for (const std::string &schedule : section.schedules)
    std::printf("# %s\n", schedule.c_str());
  std::printf("#\n#%51s  %-31s  %s\n", "", "         out-of-place",
              "           in-place");
  std::printf("#%11s %12s %9s %8s %6s", "size", "count", "type", "redop",
              "root");
  const char *const names = "  %8s %7s %7s %6s";
  std::printf(names, "time", "algbw", "busbw", "#wrong");
  std::printf(names, "time", "algbw", "busbw", "#wrong");
  std::printf("  %% of bound\n");
  std::printf("#%11s %12s %9s %8s %6s", "(B)", "(elements)", "", "", "");
  std::printf(names, "(us)", "(GB/s)", "(GB/s)", "");
  std::printf("  %8s %7s %7s\n", "(us)", "(GB/s)", "(GB/s)");
}

void printRow(const Options &options, const Row &row) {
  const Case &c = row.c;
  std::printf("%12" PRIu64 " %12zu %9s %8s %6d", c.bytes(), c.count,
              blink::nameOf(c.type), c.reduces() ? blink::nameOf(c.op) : "none",
              c.hasRoot() ? c.root : -1);
  std::fputs(formatMeasure(options, c, row.out).c_str(), stdout);
  if (c.hasInPlace())
    std::fputs(formatMeasure(options, c, row.in).c_str(), stdout);
  else
    std::printf("  %8s %7s %7s %6s", "N/A", "N/A", "N/A", "N/A");
  if (std::isfinite(c.bound))
    std::printf("  %10.2f\n", row.percentOfBound());
  else
    std::printf("  %10s\n", "N/A");
  std::fflush(stdout);
}

void printSummary(const Options &options, const Plan &plan,
                  const Summary &summary) {
  std::printf("#\n# Out of bounds values : %" PRIu64 " %s\n", summary.wrong(),
              summary.ok() ? "OK" : "FAILED");
  if (options.selfTest) {
    std::printf("# Channels: %" PRIu64 " of %" PRIu64
                " carried data in %.2f s, %" PRIu64 " wrong\n",
                summary.carryingChannels(), plan.numChannels, summary.seconds,
                summary.wrong());
  } else {
    std::printf("# Avg bus bandwidth    : %g\n", summary.averageBusbw());
    // In one process, ranks need not find each other.
    if (options.mode == Mode::processes && summary.joinSeconds != 0)
      std::printf("# Ranks joined in      : %.3f s\n", summary.joinSeconds);
  }
  std::fflush(stdout);
}

} // namespace blink::perf
