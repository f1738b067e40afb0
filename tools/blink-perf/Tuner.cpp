//===- Tuner.cpp - measures and corrects one .sched -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Tuner.h"

#include "schedules/Text.h"
#include "tools/blink-perf/Across.h"
#include "tools/blink-perf/Table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unistd.h>

namespace blink::perf {
namespace {

using sched::FileTuning;
using sched::ProgramTuning;

/// Chunk sizes are compared at this many of the largest sizes.
constexpr size_t kChunkSizes = 3;

//===-- What to measure ---------------------------------------------------===//

/// Adds powers of two from 8 on. A call has at least that many bytes and less
/// than twice as many: sizes that are too small for an element of every block
/// are left out.
void addSizes(const Options &options, ProgramReport &report,
              std::vector<Case> &cases) {
  Case c = report.c;
  for (uint64_t size = options.minBytes; size <= options.maxBytes; size *= 2) {
    c.count = (size + c.unit() - 1) / c.unit();
    if (c.bytes() >= 2 * size)
      continue;
    c.iterations =
        int(std::max<uint64_t>(1, uint64_t(options.iterations) * kFewerFrom /
                                      std::max(size, kFewerFrom)));
    report.sizes.push_back(size);
    cases.push_back(c);
  }
  if (cases.empty())
    throw UsageError("--maxbytes: no size holds an element for every rank");
}

/// Returns the bytes of the variant's largest tree in the largest message.
double largestTreeBytes(const sched::Variant &variant, const Case &c) {
  double most = 0;
  for (const sched::Tree *tree : *variant.trees())
    most = std::max(most, double(tree->numerator()) / tree->denominator());
  return most * double(c.blockBytes());
}

/// Returns every variant as it is, and then the last one, for large messages,
/// with other chunk sizes. A chunk size is a candidate only if a tree of the
/// largest message has four such chunks: the runtime divides fewer chunks into
/// smaller ones.
std::vector<Candidate> candidatesOf(const sched::Program &program,
                                    const Case &largest) {
  std::vector<Candidate> candidates;
  for (const sched::Variant *variant : *program.variants())
    candidates.push_back({uint32_t(candidates.size()), variant->chunk_bytes()});
  const Candidate last = candidates.back();
  const double most = std::min(
      double(64 << 20),
      largestTreeBytes(*program.variants()->Get(last.variant), largest) / 4);
  const uint64_t chunk = last.chunkBytes;
  for (const uint64_t other :
       {chunk / 4 / 16 * 16, chunk / 2 / 16 * 16, 2 * chunk, 4 * chunk})
    if (other >= 16 && double(other) <= most)
      candidates.push_back({last.variant, uint32_t(other)});
  return candidates;
}

/// Returns a tuning in which the candidate serves all sizes from `numVariants`
/// on, and each other variant one byte, next to 0 or next to 2^64.
ProgramTuning servedBy(const Candidate &candidate, ProgramTuning tuning) {
  for (size_t v = 0; v < tuning.size(); ++v)
    tuning[v].minBytes =
        v <= candidate.variant ? v : ~uint64_t(0) - (tuning.size() - v);
  tuning[candidate.variant].chunkBytes = candidate.chunkBytes;
  return tuning;
}

//===-- Measuring and choosing --------------------------------------------===//

/// Prints on a terminal only.
void showProgress(const std::string &text) {
  if (isatty(STDERR_FILENO))
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
}

/// Chooses the chunk size at large sizes, and with it the starts of variants.
void choose(ProgramReport &report) {
  const size_t numVariants = report.before.size(), last = numVariants - 1;
  const size_t from =
      report.sizes.size() - std::min(report.sizes.size(), kChunkSizes);
  Times large;
  for (size_t i = last; i < report.candidates.size(); ++i)
    large.emplace_back(report.seconds[i].begin() + long(from),
                       report.seconds[i].end());
  const size_t chosen = last + chooseFastest(large, 0);
  report.after[last].chunkBytes = report.candidates[chosen].chunkBytes;

  Times times(report.seconds.begin(), report.seconds.begin() + long(last));
  times.push_back(report.seconds[chosen]);
  std::vector<uint64_t> starts;
  for (const sched::VariantTuning &variant : report.before)
    starts.push_back(variant.minBytes);
  starts = chooseStarts(report.sizes, times, starts);
  for (size_t v = 0; v < numVariants; ++v)
    report.after[v].minBytes = starts[v];
}

} // namespace

size_t ProgramReport::serving(const sched::ProgramTuning &tuning,
                              size_t s) const {
  std::vector<uint64_t> starts;
  for (const sched::VariantTuning &variant : tuning)
    starts.push_back(variant.minBytes);
  const size_t variant = variantFor(starts, sizes[s]);
  size_t i = 0;
  while (candidates[i].variant != variant ||
         candidates[i].chunkBytes != tuning[variant].chunkBytes)
    ++i;
  return i;
}

double ProgramReport::ratio(size_t s) const {
  const double old = seconds[serving(before, s)][s];
  return old > 0 ? seconds[serving(after, s)][s] / old : 1;
}

double ProgramReport::gainPercent() const {
  double sum = 0;
  for (size_t s = 0; s < sizes.size(); ++s)
    sum += std::log(ratio(s));
  return 100 * (1 - std::exp(sum / double(sizes.size())));
}

void openMemory(const std::vector<uint8_t> &bytes, Plan &plan) {
  blinkSchedule_t schedule = nullptr;
  if (blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) !=
      blinkSuccess)
    throw std::runtime_error(blinkGetLastError(nullptr));
  plan.schedule.reset(schedule);
}

Tuner::Tuner(const Options &options, std::vector<uint8_t> bytes,
             std::vector<TunedProgram> programs)
    : options_(options), bytes_(std::move(bytes)),
      programs_(std::move(programs)), file_(sched::GetSchedule(bytes_.data())),
      before_(tuningOf(*file_)), after_(before_) {}

std::vector<uint8_t> Tuner::bytesWith(const FileTuning &tuning) const {
  return setTuning(bytes_, tuning, nameOf(options_.backend));
}

std::vector<uint8_t> Tuner::tuned() const {
  return changed() ? bytesWith(after_) : bytes_;
}

/// Runs one round of one candidate, which adds a sample at each size.
std::string Tuner::time(const Candidate &candidate, uint32_t number, Plan &plan,
                        std::vector<std::vector<double>> &samples) {
  FileTuning tuning = before_;
  tuning[number] = servedBy(candidate, before_[number]);
  openMemory(bytesWith(tuning), plan);
  Options quick = options_;
  quick.check = false; // the self-test comes last
  quick.devices = programs_[number].devices;
  const auto report = [&](size_t index, const Result &result) {
    const Case &c = plan.cases[index];
    const double both = result.seconds[0] + result.seconds[1];
    samples[samples.size() - 1 - index].push_back(c.hasInPlace() ? both / 2
                                                                 : both);
  };
  return runJob(quick, plan, report).error;
}

std::string Tuner::measure(uint32_t number, ProgramReport &report) {
  const sched::Program &program = *file_->programs()->Get(number);
  report.description = programs_[number].description;
  report.c = caseOf(program, program.root());
  report.c.type = options_.types[0];
  report.c.op = opsOf(report.c, report.c.type, options_)[0];
  report.numPrograms = int(sched::numPrograms(program));
  for (const sched::Variant *variant : *program.variants())
    report.protocols.push_back(sched::EnumNameProtocol(variant->protocol()));
  report.before = report.after = before_[number];
  Plan plan;
  plan.numPrograms = report.numPrograms;
  addSizes(options_, report, plan.cases);
  report.candidates = candidatesOf(program, plan.cases.back());
  report.c.root = programs_[number].root;
  // From the largest size on, so that small sizes find running threads and
  // allocated memory.
  std::reverse(plan.cases.begin(), plan.cases.end());
  using Samples = std::vector<std::vector<double>>; // by size
  std::vector<Samples> samples(report.candidates.size(),
                               Samples(report.sizes.size()));
  const std::string name = sched::EnumNameCollective(program.collective());
  for (int round = 0; round < kTuneRounds; ++round)
    for (size_t i = 0; i < report.candidates.size(); ++i) {
      showProgress(textOf(name, ", program ", number + 1, " of ",
                          before_.size(), ", round ", round + 1, " of ",
                          kTuneRounds, ", candidate ", i + 1, " of ",
                          report.candidates.size()));
      std::string error = time(report.candidates[i], number, plan, samples[i]);
      if (!error.empty())
        return error;
    }
  for (const Samples &own : samples) {
    report.seconds.emplace_back();
    for (const std::vector<double> &values : own)
      report.seconds.back().push_back(usual(values));
  }
  showProgress("");
  return "";
}

std::string Tuner::run(const TuneWatcher &report,
                       std::vector<ProgramReport> &reports) {
  for (uint32_t number = 0; number < before_.size(); ++number) {
    if (!programs_[number].wanted)
      continue;
    ProgramReport program;
    std::string error = measure(number, program);
    if (!error.empty())
      return error;
    choose(program);
    after_[number] = program.after;
    report(options_, program);
    reports.push_back(std::move(program));
  }
  return "";
}

} // namespace blink::perf
