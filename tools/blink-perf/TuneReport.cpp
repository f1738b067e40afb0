//===- TuneReport.cpp - a tuning as tables --------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/TuneReport.h"

#include "schedules/Text.h"
#include "tools/blink-perf/Job.h"
#include "tools/blink-perf/Table.h"
#include "tools/replay/Samples.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace blink::perf {
namespace {

/// "1/64K": the variant and its chunks.
std::string nameOf(const Candidate &candidate) {
  return textOf(candidate.variant, "/", formatSize(candidate.chunkBytes));
}

/// Returns how much less time, in percent; negative for more.
double gain(double ratio) { return 100 * (1 - ratio); }

/// Returns the number of the size that gains most.
size_t bestSize(const ProgramReport &program) {
  size_t best = 0;
  for (size_t s = 1; s < program.sizes.size(); ++s)
    if (program.ratio(s) < program.ratio(best))
      best = s;
  return best;
}

std::string formatMicroseconds(double seconds) {
  char text[40];
  std::snprintf(text, sizeof text, seconds >= 1e-3 ? "%.0f" : "%.2f",
                seconds * 1e6);
  return text;
}

void printTimes(const ProgramReport &program) {
  std::printf("#\n#%11s", "size");
  for (const Candidate &candidate : program.candidates)
    std::printf(" %9s", nameOf(candidate).c_str());
  std::printf("  %9s %9s %8s\n#%11s", "before", "after", "gain", "(B)");
  for (size_t i = 0; i < program.candidates.size(); ++i)
    std::printf(" %9s", "(us)");
  std::printf("  %9s %9s %8s\n", "", "", "(%)");
  for (size_t s = 0; s < program.sizes.size(); ++s) {
    std::printf("%12" PRIu64, program.sizes[s]);
    for (const std::vector<double> &seconds : program.seconds)
      std::printf(" %9s", formatMicroseconds(seconds[s]).c_str());
    const size_t before = program.serving(program.before, s);
    const size_t after = program.serving(program.after, s);
    std::printf("  %9s %9s %8.1f\n", nameOf(program.candidates[before]).c_str(),
                nameOf(program.candidates[after]).c_str(),
                gain(program.ratio(s)));
  }
}

/// Prints which other allocations use the job's schedules, and so change too.
void printAllocations(const std::vector<std::vector<int>> &allocations) {
  constexpr size_t kMostListed = 8;
  if (allocations.size() == 1) {
    std::printf("# These schedules serve this allocation alone\n");
    return;
  }
  std::string text;
  for (size_t i = 0; i < std::min(allocations.size(), kMostListed); ++i)
    text += (i == 0 ? "" : " / ") + joined(allocations[i]);
  if (allocations.size() > kMostListed)
    text +=
        " and " + std::to_string(allocations.size() - kMostListed) + " more";
  std::printf(
      "# These schedules serve %zu allocations, which are alike and get "
      "the same numbers: %s\n",
      allocations.size(), text.c_str());
}

std::string formatChange(uint64_t before, uint64_t after) {
  return before == after ? formatSize(before) + ", as it was"
                         : formatSize(before) + " -> " + formatSize(after);
}

} // namespace

void printTuneTitle(const Options &options) {
  std::printf("# blink-perf %s: tuning; sizes 8 to %s, %d rounds of %d "
              "iterations, fewer from %s on\n",
              BLINK_VERSION_STRING, formatSize(options.maxBytes).c_str(),
              kTuneRounds, options.iterations,
              formatSize(2 * kFewerFrom).c_str());
  if (options.graphLaunches != 0)
    std::printf("# each iteration is a CUDA graph of %d launches\n",
                options.graphLaunches);
  std::fflush(stdout);
}

void printTuning(const Options &options, const ProgramReport &program) {
  std::printf("#\n# %s\n# %d ranks, %s%s%s, back end %s, mode %s\n",
              program.description.c_str(), program.numPrograms,
              blink::nameOf(program.c.type), program.c.reduces() ? " " : "",
              program.c.reduces() ? blink::nameOf(program.c.op) : "",
              nameOf(options.backend), nameOf(options.mode));
  printTimes(program);
  std::printf("#\n");
  for (size_t v = 0; v < program.before.size(); ++v)
    std::printf(
        "# variant %zu: %s; from %s; chunks %s\n", v,
        program.protocols[v].c_str(),
        formatChange(program.before[v].minBytes, program.after[v].minBytes)
            .c_str(),
        formatChange(program.before[v].chunkBytes, program.after[v].chunkBytes)
            .c_str());
  if (program.before == program.after) {
    std::printf("# gain: none, nothing changes\n");
  } else {
    const size_t best = bestSize(program);
    std::printf("# gain: %.1f %% less time, the mean of %zu sizes; the most is "
                "%.1f %%, at %s\n",
                program.gainPercent(), program.sizes.size(),
                gain(program.ratio(best)),
                formatSize(program.sizes[best]).c_str());
  }
  std::fflush(stdout);
}

void printTuneSummary(const Options &options, const TuneSummary &summary) {
  if (summary.channels != 0) // measuring did not fail
    std::printf("#\n# Self-test: %" PRIu64 " of %" PRIu64
                " channels carried data, %" PRIu64 " wrong\n",
                summary.carrying, summary.channels, summary.wrong);
  if (summary.ok() && !summary.allocations.empty())
    printAllocations(summary.allocations);
  if (summary.ok())
    std::printf("# %s: %s, %zu bytes\n", options.output.c_str(),
                summary.changed ? "corrected" : "nothing to correct, a copy",
                summary.bytes.size());
  std::fflush(stdout);
}

} // namespace blink::perf
