//===- main.cpp - blink-perf ----------------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Across.h"
#include "tools/blink-perf/Calibrate.h"
#include "tools/blink-perf/FoldTrace.h"
#include "tools/blink-perf/Json.h"
#include "tools/blink-perf/OutputFile.h"
#include "tools/blink-perf/TuneReport.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>

using namespace blink;
using namespace blink::perf;

namespace {

enum ExitCode { kGood = 0, kBadAnswer = 1, kBadCall = 2 };

int complain(const std::string &sentence, ExitCode code) {
  std::fflush(stdout);
  std::fprintf(stderr, "blink-perf: error: %s\n", sentence.c_str());
  return code;
}

/// Measures, and prints line by line. If ranks are separate processes, only
/// rank 0 prints.
Summary measure(const Options &options, const Plan &plan) {
  Summary summary;
  size_t section = 0, nextHeader = 0;
  const bool prints = options.rank <= 0;
  if (prints)
    printTitle(options, plan);
  const auto report = [&](size_t index, const Result &result) {
    if (prints && index == nextHeader) {
      printHeader(options, plan, plan.sections[section]);
      nextHeader += plan.sections[section++].cases.size();
    }
    const auto half = [&](int i) {
      return Measure{result.seconds[i], result.wrong[i], result.cpuSeconds[i]};
    };
    Row row{plan.cases[index], half(0), half(1)};
    if (prints)
      printRow(options, row);
    summary.rows.push_back(row);
  };
  std::optional<TraceFolder> traces;
  std::string tracePath = options.trace;
  if (options.rank >= 0)
    tracePath += textOf(".", options.rank);
  if (!options.trace.empty()) {
    checkWritable(tracePath);
    traces.emplace();
  }
  const auto begin = std::chrono::steady_clock::now();
  RunEnd end = runJob(options, plan, report);
  if (traces) {
    const std::string bytes = traces->bytes();
    if (bytes.empty() && end.error.empty())
      end.error = options.trace + ": the ranks could not write their traces to "
                                  "the folder for temporary files, TMPDIR";
    else
      writeFile(tracePath, bytes);
  }
  summary.error = std::move(end.error);
  summary.joinSeconds = end.joinSeconds;
  summary.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  if (prints)
    printSummary(options, plan, summary);
  return summary;
}

int runTune(const Options &options) {
  const bool prints = options.rank <= 0; // all ranks have the same results
  if (prints)
    printTuneTitle(options);
  TuneSummary summary = tune(
      options,
      prints ? printTuning : [](const Options &, const ProgramReport &) {});
  if (summary.ok() && prints)
    writeFile(options.output, summary.bytes);
  if (prints)
    printTuneSummary(options, summary);
  if (!options.json.empty() && prints)
    writeFile(options.json, formatTuneJson(options, summary));
  return summary.ok() ? kGood : complain(summary.error, kBadAnswer);
}

void printCalibrated(const CalibratedSize &size) {
  std::printf("%12llu %14s %10.2f %10.3f %10.2f %10.2f %10.3f %10.3f\n",
              static_cast<unsigned long long>(size.c.bytes()),
              sched::EnumNameCollective(size.c.collective), size.time,
              size.fold, size.gbps, size.reduceGbps, size.notice, size.call);
  std::fflush(stdout);
}

int runCalibration(const Options &options) {
  std::printf("# a %s a rank: what calls and folds cost\n#%11s %14s %10s %10s "
              "%10s %10s %10s %10s\n"
              "#%11s %14s %10s %10s %10s %10s %10s %10s\n",
              options.mode == Mode::threads ? "thread" : "process", "size",
              "collective", "time", "fold", "copies", "reduces", "notice",
              "call", "(B)", "", "(us)", "(us)", "(GB/s)", "(GB/s)", "(us)",
              "(us)");
  const Calibration calibration = calibrate(options, printCalibrated);
  if (!calibration.ok())
    return complain(calibration.error, kBadAnswer);
  writeFile(options.costs, formatCosts(options, calibration));
  std::printf("# %s: a fold %.3f us, noticed after %.3f us, a call %.3f us\n",
              options.costs.c_str(), calibration.step, calibration.notice,
              calibration.call);
  return kGood;
}

int run(int argc, char **argv) {
  Options options;
  if (!parseOptions(argc, argv, options))
    return kGood;
  if (!options.json.empty() && options.rank <= 0)
    checkWritable(options.json);
  if (!options.costs.empty())
    return runCalibration(options);
  if (options.tune)
    return runTune(options);
  const Plan plan = makePlan(options);
  const Summary summary = measure(options, plan);
  if (!options.json.empty() && options.rank <= 0)
    writeFile(options.json, formatJson(options, plan, summary));
  if (!summary.error.empty())
    return complain(options.rank == -1
                        ? summary.error
                        : textOf("rank ", options.rank, ": ", summary.error),
                    kBadAnswer);
  return summary.ok() ? kGood : kBadAnswer;
}

/// Returns `exitCode`, or prints an error and returns kBadCall if the table
/// could not be written to standard output.
int finish(int exitCode) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return exitCode;
  return complain("standard output: cannot write", kBadCall);
}

} // namespace

int main(int argc, char **argv) {
  try {
    return finish(run(argc, argv));
  } catch (const UsageError &error) {
    return complain(error.what(), kBadCall);
  } catch (const std::exception &error) {
    return complain(error.what(), kBadCall); // about the file for results
  }
}
