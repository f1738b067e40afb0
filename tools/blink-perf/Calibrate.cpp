//===- Calibrate.cpp - costs of folds on this machine ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Calibrate.h"

#include "tools/blink-perf/Bench.h"
#include "tools/blink-perf/FoldTrace.h"
#include "tools/blink-perf/Job.h"
#include "tools/blink-perf/OutputFile.h"

#include "runtime/plan/SymmetricPrograms.h"

#include "nlohmann/json.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <sched.h>
#include <thread>

namespace blink::perf {
namespace {

constexpr int kWarmup = 3;

/// Large messages get fewer, and none more than traces can hold.
int iterationsAt(uint64_t bytes) {
  return int(
      std::clamp<uint64_t>((64 << 20) / std::max<uint64_t>(bytes, 1), 5, 400));
}

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  const auto middle = values.begin() + ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Runs only this case; returns its seconds, or sets `error`.
double runCase(Options options, Plan &plan, const Case &c, std::string &error) {
  if (options.iterations == 0)
    options.iterations = iterationsAt(c.bytes());
  options.warmup = kWarmup;
  plan.cases = {c};
  double seconds = 0;
  error = runBench(options, plan, [&](size_t, const Result &result) {
            seconds = result.seconds[0];
          }).error;
  return seconds;
}

/// The trace of one case, and its analysis.
class Folds {
public:
  Folds(FoldTrace trace, const JobProgram &program,
        const sched::Variant &variant)
      : trace_(std::move(trace)), program_(program), variant_(variant) {
    for (auto &[key, folds] : trace_)
      dropWarmup(folds);
  }

  template <typename Visit> void each(Visit visit) const {
    for (const auto &[key, folds] : trace_)
      for (const TracedFold &fold : folds)
        visit(key, fold);
  }
  /// Returns the time from a fold's end to the begin of one that waited for its
  /// chunk.
  double notice() const;
  /// Returns the median time of a call, from its first fold to its last.
  double span() const;
  bool borrows() const;
  bool reduces(const LaneKey &key, const TracedFold &fold) const {
    return stepOf(rankOf(key), key, fold).sources() > 1;
  }

private:
  const sched::RankProgram &rankOf(const LaneKey &key) const;
  static const sched::Step &stepOf(const sched::RankProgram &rank,
                                   const LaneKey &key, const TracedFold &fold) {
    return *rank.steps()->Get(rank.lanes()->Get(key.lane)->steps_begin() +
                              fold.step);
  }
  static bool beginsCall(const std::vector<TracedFold> &folds, size_t place) {
    return folds[place].step == folds[0].step &&
           folds[place].chunk == folds[0].chunk;
  }
  static void dropWarmup(std::vector<TracedFold> &folds);
  const std::vector<TracedFold> *lane(uint32_t rank, uint32_t lane) const {
    const auto found = trace_.find({program_.choice.jobRank(rank), lane});
    return found == trace_.end() ? nullptr : &found->second;
  }

  FoldTrace trace_;
  const JobProgram &program_;
  const sched::Variant &variant_;
};

/// Drops the first calls, which touch pages and fill caches.
void Folds::dropWarmup(std::vector<TracedFold> &folds) {
  int calls = 0;
  size_t place = 0;
  for (; place < folds.size(); ++place)
    if (beginsCall(folds, place) && ++calls > kWarmup)
      break;
  // If a call has more folds than a trace holds, keeps everything.
  if (place < folds.size())
    folds.erase(folds.begin(), folds.begin() + ptrdiff_t(place));
}

double Folds::notice() const {
  // The n-th fold of the step that writes a channel writes what the n-th fold
  // of the step that reads the channel reads.
  struct End {
    uint32_t rank, lane, step;
  };
  std::map<uint32_t, End> writers, readers;
  for (uint32_t r = 0; r < variant_.ranks()->size(); ++r) {
    const sched::RankProgram &rank = *variant_.ranks()->Get(r);
    for (uint32_t l = 0; l < rank.lanes()->size(); ++l) {
      const sched::Lane &lane = *rank.lanes()->Get(l);
      for (uint32_t s = 0; s < lane.steps_count(); ++s) {
        const sched::Step &step = *rank.steps()->Get(lane.steps_begin() + s);
        for (uint32_t i = 0; i < step.sources() + step.destinations(); ++i) {
          const sched::Operand &operand =
              *rank.operands()->Get(step.operands_begin() + i);
          if (operand.kind() == sched::OperandKind::channel)
            (i < step.sources() ? readers : writers)[operand.index()] = {r, l,
                                                                         s};
        }
      }
    }
  }
  auto of = [&](const End &end) {
    std::vector<TracedFold> folds;
    if (const std::vector<TracedFold> *all = lane(end.rank, end.lane))
      for (const TracedFold &fold : *all)
        if (fold.step == end.step)
          folds.push_back(fold);
    return folds;
  };
  std::vector<double> times;
  for (const auto &[channel, reader] : readers) {
    const std::vector<TracedFold> written = of(writers[channel]);
    const std::vector<TracedFold> read = of(reader);
    for (size_t i = 0; i < std::min(written.size(), read.size()); ++i) {
      const double after = read[i].begin - written[i].end;
      // Otherwise the reader was late for another reason.
      if (after > 0 && after < read[i].waited)
        times.push_back(after);
    }
  }
  // If ranks also wait for processors, the quickest ones did not.
  std::sort(times.begin(), times.end());
  return times.empty() ? 0 : times[times.size() / 10];
}

double Folds::span() const {
  std::vector<double> begins, ends; // of calls
  for (const auto &[key, folds] : trace_)
    for (size_t i = 0, call = 0; i < folds.size(); ++i) {
      call += i > 0 && beginsCall(folds, i);
      if (begins.size() <= call) {
        begins.push_back(folds[i].begin);
        ends.push_back(folds[i].end);
      }
      begins[call] = std::min(begins[call], folds[i].begin);
      ends[call] = std::max(ends[call], folds[i].end);
    }
  std::vector<double> spans;
  for (size_t call = 0; call < begins.size(); ++call)
    spans.push_back(ends[call] - begins[call]);
  return median(spans);
}

/// Returns the program of a rank of the job.
const sched::RankProgram &Folds::rankOf(const LaneKey &key) const {
  uint32_t rank = 0;
  while (program_.choice.jobRank(rank) != key.rank)
    ++rank;
  return *variant_.ranks()->Get(rank);
}

/// Returns whether any fold that writes channels stored no chunk for them.
bool Folds::borrows() const {
  bool any = false;
  each([&](const LaneKey &key, const TracedFold &fold) {
    const sched::RankProgram &rank = rankOf(key);
    const sched::Step &step = stepOf(rank, key, fold);
    uint32_t channels = 0;
    for (uint32_t d = 0; d < step.destinations(); ++d)
      channels += rank.operands()
                      ->Get(step.operands_begin() + step.sources() + d)
                      ->kind() == sched::OperandKind::channel;
    const uint32_t needed = step.sources() + step.destinations() - channels;
    any |= channels > 0 && fold.moved <= needed * fold.bytes;
  });
  return any;
}

/// Returns the variant of a program that ran. It is not always the one for the
/// size (runtime/host/VariantChoice.h). Traces number the variants of all
/// programs; `first` is the number of the program's first one.
const sched::Variant &variantOf(const FoldTrace &trace,
                                const sched::Program &program, uint32_t first) {
  const auto &variants = *program.variants();
  uint32_t number = first;
  for (const auto &[key, folds] : trace)
    if (!folds.empty())
      number = folds.front().variant;
  return *variants[std::min(number - first, variants.size() - 1)];
}

/// Returns the bytes per nanosecond that folds of this size move, of those that
/// reduce or of those that do not. Ignores the slowest twentieth, relative to
/// what they moved, as they lost their processor for a while.
double gbpsOf(const Folds &folds, double step, bool reducing) {
  std::vector<std::pair<double, double>> moves; // bytes, time; slowest last
  folds.each([&](const LaneKey &key, const TracedFold &fold) {
    if (fold.moved > 0 && folds.reduces(key, fold) == reducing)
      moves.emplace_back(double(fold.moved) / 2,
                         std::max(fold.end - fold.begin - step, 1e-3));
  });
  std::sort(moves.begin(), moves.end(), [](const auto &a, const auto &b) {
    return a.second * b.first < b.second * a.first;
  });
  moves.resize(moves.size() - moves.size() / 20);
  double bytes = 0, time = 0;
  for (const auto &[moved, took] : moves) {
    bytes += moved;
    time += took;
  }
  return time > 0 ? bytes / time * 1e-3 : 0;
}

/// Returns the microseconds that a processor takes to switch between two
/// threads.
double switchTime() {
  constexpr int kTurns = 20000;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  std::atomic<int> there{0};
  auto yield = [&] {
    sched_setaffinity(0, sizeof one, &one); // of this thread
    // Relaxed: no data is passed, the threads only start together.
    there.fetch_add(1, std::memory_order_relaxed);
    while (there.load(std::memory_order_relaxed) < 2)
      sched_yield();
    for (int i = 0; i < kTurns; ++i)
      sched_yield();
  };
  const auto begin = std::chrono::steady_clock::now();
  std::thread first(yield), second(yield);
  first.join();
  second.join();
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now() - begin)
             .count() /
         (2 * kTurns);
}

/// Averages over programs with equal weights.
struct GeometricMean {
  double logarithms = 0;
  int n = 0;

  void add(double value) {
    logarithms += value > 0 ? std::log(value) : 0;
    n += value > 0;
  }
  double mean() const { return n ? std::exp(logarithms / n) : 0; }
};

struct Rates {
  GeometricMean copies, reductions;

  void add(const CalibratedSize &size) {
    copies.add(size.gbps);
    reductions.add(size.reduceGbps);
  }
};

std::string nameOfProcessor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0 && line.find(':') + 2 < line.size())
      return line.substr(line.find(':') + 2);
  return "processor";
}

} // namespace

Calibration calibrate(const Options &options,
                      const CalibrationWatcher &report) {
  checkWritable(options.costs);
  Plan plan = makePlan(options);
  const Job job(options);
  Calibration calibration;
  std::vector<JobProgram> programs;
  runtime::ExpandedFiles expanded;
  for (size_t number = 0; number < job.files().size(); ++number) {
    std::string reason;
    for (JobProgram &one : job.programs(number, reason)) {
      // Each rank's own program is analyzed, so expand them all.
      std::vector<runtime::ResolvedProgram> chosen{one.choice};
      std::vector<bool> known;
      const runtime::Status status = runtime::expandPrograms(
          chosen, std::vector<bool>(size_t(plan.numPrograms), true), expanded,
          known);
      if (!status.ok()) {
        calibration.error = status.text;
        return calibration;
      }
      one.choice = std::move(chosen.front());
      programs.push_back(std::move(one));
    }
  }
  std::vector<Case> cases = plan.cases;
  // Small sizes first, as they show what a fold costs that moves nothing.
  std::stable_sort(
      cases.begin(), cases.end(),
      [](const Case &a, const Case &b) { return a.bytes() < b.bytes(); });
  for (const Case &c : cases) {
    const auto place = std::find_if(
        programs.begin(), programs.end(), [&](const JobProgram &one) {
          return one.choice.program->collective() == c.collective &&
                 one.choice.root == c.root;
        });
    const JobProgram &program = *place;
    uint32_t firstVariant = 0;
    for (auto before = programs.begin(); before != place; ++before)
      firstVariant += before->choice.program->variants()->size();
    CalibratedSize size;
    size.c = c;
    size.time = runCase(options, plan, c, calibration.error) * 1e6;
    if (!calibration.ok())
      return calibration;
    const TraceFolder folder;
    runCase(options, plan, c, calibration.error);
    if (!calibration.ok())
      return calibration;
    FoldTrace trace = folder.read();
    const sched::Variant &variant =
        variantOf(trace, *program.choice.program, firstVariant);
    const Folds folds(std::move(trace), program, variant);
    std::vector<double> times;
    folds.each([&](const LaneKey &, const TracedFold &fold) {
      times.push_back(fold.end - fold.begin);
    });
    size.fold = median(std::move(times));
    if (calibration.sizes.empty())
      calibration.step = size.fold;
    size.gbps = gbpsOf(folds, calibration.step, false);
    size.reduceGbps = gbpsOf(folds, calibration.step, true);
    size.notice = folds.notice();
    size.call = std::max(0.0, size.time - folds.span());
    size.borrows = folds.borrows();
    report(size);
    calibration.sizes.push_back(size);
  }
  std::vector<double> notices, calls;
  for (const CalibratedSize &size : calibration.sizes)
    if (size.c.bytes() <= 16 * cases.front().bytes()) {
      notices.push_back(size.notice);
      calls.push_back(size.call);
    }
  calibration.turn = switchTime();
  calibration.notice = median(notices);
  calibration.call = median(calls);
  return calibration;
}

std::string formatCosts(const Options &options,
                        const Calibration &calibration) {
  using json = nlohmann::ordered_json;
  // Averages all programs by size; below this size a fold costs its step only.
  constexpr uint64_t kMoves = 16 << 10;
  json rows = json::array();
  uint64_t borrowBytes = 0;
  std::map<uint64_t, Rates> rates;
  for (const CalibratedSize &size : calibration.sizes) {
    if (size.c.bytes() >= kMoves)
      rates[size.c.bytes()].add(size);
    if (!size.borrows)
      borrowBytes = std::max(borrowBytes, size.c.bytes() + 1);
  }
  for (const auto &[bytes, of] : rates) {
    json row = {
        {"bytes", bytes},
        {"step_us", calibration.step},
        {"lane_gbps", (of.copies.n ? of.copies : of.reductions).mean()}};
    if (of.reductions.n)
      row["reduce_gbps"] = of.reductions.mean();
    rows.push_back(std::move(row));
  }
  if (rows.empty())
    rows.push_back(
        {{"bytes", 0}, {"step_us", calibration.step}, {"lane_gbps", 0}});
  json file = {
      {"format", "blink-costs"},
      {"version", 1},
      {"device", nameOfProcessor() + ", " + nameOf(options.mode)},
      {"simple", rows},
      {"low_latency", rows},
      {"host",
       {{"processors", std::max(1u, std::thread::hardware_concurrency())},
        {"call_us", calibration.call},
        {"notice_us", calibration.notice},
        {"switch_us", calibration.turn},
        {"borrow_bytes", borrowBytes}}}};
  return file.dump(2) + "\n";
}

} // namespace blink::perf
