//===- Tune.cpp - corrects a schedule by what a machine measures ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A variant is timed at every size, its own or not, by running a copy of the
// file in which it serves them all.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Tune.h"

#include "schedules/BundleFile.h"
#include "tools/blink-perf/Bench.h"
#include "tools/blink-perf/Job.h"
#include "tools/blink-perf/SelfTest.h"
#include "tools/blink-perf/Table.h"
#include "tools/replay/Samples.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace blink::perf {
namespace {

using sched::FileTuning;
using sched::ProgramTuning;

/// Chunk sizes are judged at so many sizes, the largest ones.
constexpr size_t kChunkSizes = 3;

//===-- Files -------------------------------------------------------------===//

/// Minutes of measuring must not end in a path that cannot be written.
void checkOutput(const std::string &path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "."
                             : slash == 0               ? "/"
                                                        : path.substr(0, slash);
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    throw UsageError(path + ": cannot write: it is a folder");
  if (access(folder.c_str(), W_OK) != 0)
    throw UsageError(path + ": cannot write: " + std::strerror(errno));
}

std::vector<uint8_t> readSchedule(const std::string &path) {
  std::vector<uint8_t> bytes = readFile(path);
  if (sched::isBundle(bytes.data(), bytes.size()))
    throw UsageError(path + ": a bundle; --tune corrects single schedules: "
                            "tune what blinkc compile writes");
  blinkSchedule_t schedule = nullptr; // says what is wrong
  if (blinkScheduleOpen(path.c_str(), &schedule) != blinkSuccess)
    throw UsageError(blinkGetLastError(nullptr));
  blinkScheduleClose(schedule);
  return bytes;
}

/// The options of the file, with a note that it is tuned, and where.
std::string noteTuned(std::string options, blinkBackend_t backend) {
  const std::string word = "tuned="; // the last one, if there is one
  options.resize(std::min(options.size(), options.rfind(word)));
  if (!options.empty() && options.back() != ' ')
    options += ' ';
  return options + word + nameOf(backend);
}

//===-- What to measure ---------------------------------------------------===//

/// Powers of two from 8 on. A call has at least so many bytes, and less than
/// twice as many: a size too small for an element of every block is left out.
void addSizes(const Options &options, ProgramReport &report,
              std::vector<Case> &cases) {
  Case c = report.c;
  const uint64_t unit =
      sizeOf(c.type) * std::max(c.inputBlocks(), c.outputBlocks());
  for (uint64_t size = options.minBytes; size <= options.maxBytes; size *= 2) {
    c.count = (size + unit - 1) / unit;
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

/// Of the variant's largest tree, in the largest message.
double largestTreeBytes(const sched::Variant &variant, const Case &c) {
  double most = 0;
  for (const sched::Tree *tree : *variant.trees())
    most = std::max(most, double(tree->numerator()) / tree->denominator());
  return most * double(c.blockBytes());
}

/// Every variant as it is; then the last one, which is for large messages, with
/// other chunks, if a tree of the largest message has four of them: the runtime
/// cuts fewer into smaller ones.
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

/// The candidate serves all sizes from `numVariants` on, the other variants one
/// byte each, of sizes next to 0 and next to 2^64.
ProgramTuning servedBy(const Candidate &candidate, ProgramTuning tuning) {
  for (size_t v = 0; v < tuning.size(); ++v)
    tuning[v].minBytes =
        v <= candidate.variant ? v : ~uint64_t(0) - (tuning.size() - v);
  tuning[candidate.variant].chunkBytes = candidate.chunkBytes;
  return tuning;
}

//===-- Measuring ---------------------------------------------------------===//

/// On a terminal only.
void showProgress(const std::string &text) {
  if (isatty(STDERR_FILENO))
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
}

void openMemory(const std::vector<uint8_t> &bytes, Plan &plan) {
  blinkSchedule_t schedule = nullptr;
  if (blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) !=
      blinkSuccess)
    throw std::runtime_error(blinkGetLastError(nullptr));
  plan.schedule.reset(schedule);
}

class Tuner {
public:
  Tuner(const Options &options, TuneSummary &summary)
      : options_(options), summary_(summary),
        bytes_(readSchedule(options.files[0])) {
    std::string error; // the runtime has opened it
    file_ = sched::openSchedule(bytes_.data(), bytes_.size(), error);
    before_ = after_ = tuningOf(*file_);
  }

  void run(void (*report)(const Options &, const ProgramReport &));

private:
  std::vector<uint8_t> bytesWith(const FileTuning &tuning) const {
    return setTuning(bytes_, tuning,
                     noteTuned(file_->options()->str(), options_.backend));
  }
  bool measure(uint32_t number, ProgramReport &report);
  void time(const Candidate &candidate, uint32_t number, Plan &plan,
            std::vector<std::vector<double>> &samples);
  static void choose(ProgramReport &report);
  void selfTest(const std::vector<uint8_t> &tuned);

  const Options &options_;
  TuneSummary &summary_;
  std::vector<uint8_t> bytes_;
  const sched::Schedule *file_;
  FileTuning before_, after_;
};

/// One round of one candidate: adds a sample at each size.
void Tuner::time(const Candidate &candidate, uint32_t number, Plan &plan,
                 std::vector<std::vector<double>> &samples) {
  FileTuning tuning = before_;
  tuning[number] = servedBy(candidate, before_[number]);
  openMemory(bytesWith(tuning), plan);
  Options quick = options_;
  quick.check = false; // the self-test comes at the end
  summary_.error =
      runBench(quick, plan, [&](size_t index, const Result &result) {
        const Case &c = plan.cases[index];
        const double both = result.seconds[0] + result.seconds[1];
        samples[samples.size() - 1 - index].push_back(c.hasInPlace() ? both / 2
                                                                     : both);
      });
}

/// False: failed.
bool Tuner::measure(uint32_t number, ProgramReport &report) {
  const sched::Program &program = *file_->programs()->Get(number);
  report.description =
      describe(options_.files[0], file_->topology()->name()->str(),
               {program.allocation()->begin(), program.allocation()->end()},
               program, program.root());
  report.c = caseOf(program, program.root());
  report.c.type = options_.types[0];
  report.c.op = opsOf(report.c, options_)[0];
  report.numPrograms = int(sched::numPrograms(program));
  for (const sched::Variant *variant : *program.variants())
    report.protocols.push_back(sched::EnumNameProtocol(variant->protocol()));
  report.before = report.after = before_[number];
  Plan plan;
  plan.numPrograms = report.numPrograms;
  addSizes(options_, report, plan.cases);
  report.candidates = candidatesOf(program, plan.cases.back());
  // From the largest, so that the small ones find threads that run and memory
  // that is there.
  std::reverse(plan.cases.begin(), plan.cases.end());
  using Samples = std::vector<std::vector<double>>; // of each size
  std::vector<Samples> samples(report.candidates.size(),
                               Samples(report.sizes.size()));
  for (int round = 0; round < kTuneRounds; ++round)
    for (size_t i = 0; i < report.candidates.size(); ++i) {
      showProgress("program " + std::to_string(number + 1) + " of " +
                   std::to_string(before_.size()) + ", round " +
                   std::to_string(round + 1) + " of " +
                   std::to_string(kTuneRounds) + ", candidate " +
                   std::to_string(i + 1) + " of " +
                   std::to_string(report.candidates.size()));
      time(report.candidates[i], number, plan, samples[i]);
      if (!summary_.ok())
        return false;
    }
  for (const Samples &own : samples) {
    report.seconds.emplace_back();
    for (const std::vector<double> &values : own)
      report.seconds.back().push_back(usual(values));
  }
  showProgress("");
  return true;
}

/// First the chunk size, at large sizes; then, with it, where variants start.
void Tuner::choose(ProgramReport &report) {
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

/// As --self-test, of every program.
void Tuner::selfTest(const std::vector<uint8_t> &tuned) {
  Options options = options_;
  options.selfTest = true;
  options.iterations = 1;
  options.warmup = 0;
  std::string error;
  const sched::Schedule *file =
      sched::openSchedule(tuned.data(), tuned.size(), error);
  if (!file)
    throw std::runtime_error(error);
  for (const sched::Program *program : *file->programs()) {
    Plan plan;
    plan.numPrograms = int(sched::numPrograms(*program));
    openMemory(tuned, plan);
    Section section;
    addSelfTest(*program, program->root(), options, plan, section);
    plan.cases = section.cases;
    Summary summary;
    summary.error =
        runBench(options, plan, [&](size_t index, const Result &result) {
          summary.rows.push_back({plan.cases[index],
                                  {result.seconds[0], result.wrong[0]},
                                  {result.seconds[1], result.wrong[1]}});
        });
    summary_.channels += plan.numChannels;
    summary_.carrying += summary.carryingChannels();
    summary_.wrong += summary.wrong();
    if (!summary.error.empty()) {
      summary_.error = summary.error;
      return;
    }
  }
  if (summary_.wrong != 0)
    summary_.error = "the self-test of the corrected schedule found " +
                     std::to_string(summary_.wrong) +
                     " wrong elements: nothing is written; blink-perf "
                     "--self-test on the file shows more";
}

void Tuner::run(void (*report)(const Options &, const ProgramReport &)) {
  for (uint32_t number = 0; number < before_.size(); ++number) {
    ProgramReport program;
    if (!measure(number, program))
      return;
    choose(program);
    after_[number] = program.after;
    report(options_, program);
    summary_.programs.push_back(std::move(program));
  }
  summary_.changed = after_ != before_;
  const std::vector<uint8_t> tuned =
      summary_.changed ? bytesWith(after_) : bytes_;
  selfTest(tuned);
  summary_.bytes.assign(tuned.begin(), tuned.end());
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

TuneSummary tune(const Options &options,
                 void (*report)(const Options &, const ProgramReport &)) {
  checkOutput(options.output);
  TuneSummary summary;
  Tuner(options, summary).run(report);
  return summary;
}

} // namespace blink::perf
