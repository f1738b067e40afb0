//===- Verify.cpp - proof that a schedule is right ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Runs the checks and describes their results in sentences.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Verify.h"

#include "compiler/verify/AlikeRanks.h"
#include "compiler/verify/Bandwidth.h"
#include "compiler/verify/InPlace.h"
#include "compiler/verify/Pace.h"
#include "compiler/verify/Progress.h"
#include "compiler/verify/Queues.h"
#include "compiler/verify/Repricing.h"
#include "compiler/verify/SymbolicExecution.h"
#include "compiler/verify/SymmetricParts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

namespace blink {

namespace {

using namespace verify;

/// "1 tree", "24 trees".
std::string count(uint64_t number, const std::string &noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

/// Rates are printed so exactly that two different ones do not look the same.
std::string rate(double gbps) {
  if (std::isinf(gbps))
    return "unlimited";
  char text[40];
  std::snprintf(text, sizeof text, "%.10g GB/s", gbps);
  return text;
}

/// The message size for a variant without a limit.
constexpr uint64_t kLargeMessage = 256 << 20;

/// Returns "64 KiB" or "1 B": in the largest unit of which `bytes` is a
/// multiple.
std::string size(uint64_t bytes) {
  const char *units[] = {" B", " KiB", " MiB", " GiB"};
  size_t unit = 0;
  for (; unit < 3 && bytes > 0 && bytes % 1024 == 0; ++unit)
    bytes /= 1024;
  return std::to_string(bytes) + units[unit];
}

/// The symmetry of a program that has a symmetric variant.
struct ProgramSymmetry {
  ProgramSymmetry(const sched::Schedule &file, const sched::Program &program) {
    for (const sched::Variant *variant : *program.variants())
      if (variant->symmetric() && orbits.empty()) {
        // This cannot fail: the loader has made the group before.
        static_cast<void>(sched::SymmetryGroup::create(
            *file.topology(), *program.allocation(),
            sched::renamingsOf(program), group));
        orbits = linkOrbits(group, file.topology()->links()->size());
      }
  }

  /// Returns the loads of a variant in full; `loads` is what its own trees
  /// bring.
  std::vector<double> inFull(const sched::Variant &variant,
                             std::vector<double> loads,
                             Images images = Images::sum) const {
    return variant.symmetric()
               ? loadsOfImages(loads, orbits, group.order(), images)
               : loads;
  }

  /// Returns one rank of each orbit if prices are the same on all links of each
  /// orbit; otherwise, and without symmetry, an empty list.
  std::vector<uint32_t>
  rootsFor(const flatbuffers::Vector<double> &prices) const {
    for (uint32_t link = 0; link < orbits.size(); ++link)
      if (prices[link] != prices[orbits[link]])
        return {};
    return orbits.empty() ? std::vector<uint32_t>() : group.representatives();
  }

  sched::SymmetryGroup group;
  std::vector<uint32_t> orbits; ///< of links; empty: no variant is symmetric
};

/// Returns the loads of a variant in full, by link, per byte of S as in
/// linkLoads.
std::vector<double> loadsInFull(const TopologyView &machine,
                                const ProgramSymmetry &symmetry,
                                const sched::Program &program,
                                const sched::Variant &variant,
                                double partialSums = 1) {
  const Semantics semantics(program);
  return symmetry.inFull(variant,
                         linkLoads(machine, semantics, variant, partialSums),
                         semantics.isPairwise() ? Images::most : Images::sum);
}

/// A variant and the parts of it that are judged.
class JudgedVariant {
public:
  JudgedVariant(const sched::Variant &variant, const sched::Program &program,
                const sched::SymmetryGroup &group)
      : steps_(variant, variant.symmetric() ? group.representatives()
                                            : std::vector<uint32_t>()) {
    if (!variant.symmetric())
      return;
    images_ = group.order();
    std::vector<uint32_t> elements{0};
    own_ = std::make_unique<Trees>(variant, group, program, elements);
    // All sums have one order if those of the images under the generators do.
    // Images of copies are right if the copies are; judging the same ones again
    // costs little, and would find a renaming that moves a root.
    for (uint32_t generator : group.generators())
      elements.push_back(generator);
    withImages_ = std::make_unique<Trees>(variant, group, program, elements);
  }

  /// Returns the folds of which all folds are images.
  const FoldGraph &steps() const { return steps_; }
  /// Returns trees with all their folds, of which all trees are images.
  const FoldGraph &trees() const { return own_ ? own_->graph : steps_; }
  /// Returns the same trees with some of their images.
  const FoldGraph &results() const {
    return withImages_ ? withImages_->graph : trees();
  }
  uint32_t images() const { return images_; }

private:
  struct Trees {
    Trees(const sched::Variant &variant, const sched::SymmetryGroup &group,
          const sched::Program &program, const std::vector<uint32_t> &elements)
        : full(variant, group, program.collective(), elements),
          graph(full.variant()) {}
    TreesInFull full;
    FoldGraph graph;
  };

  FoldGraph steps_;
  std::unique_ptr<Trees> own_, withImages_;
  uint32_t images_ = 1;
};

class Verifier {
public:
  Verifier(const sched::Schedule &file, const sched::Program &program,
           const VerifyOptions &options)
      : program_(program), options_(options), semantics_(program),
        machine_(file, program), symmetry_(file, program) {
    for (const sched::Variant *variant : *program.variants())
      graphs_.emplace_back(*variant, program, symmetry_.group);
  }

  VerifyReport run() {
    add("paths", eachVariant([&](const JudgedVariant &judged) {
          return checkPaths(machine_, judged.trees().variant());
        }),
        [&] { return describePaths(); });
    add("result", eachVariant([&](const JudgedVariant &judged) {
          return checkResult(semantics_, judged.results(), &sums_);
        }),
        [&] { return describeResult(); });
    if (semantics_.reduces() && report_.checks.back().ok)
      addOrder();
    if (semantics_.worksInPlace())
      add("in-place", eachVariant([&](const JudgedVariant &judged) {
            return checkInPlace(semantics_, judged.trees());
          }),
          [&] {
            return std::string("when input and output are one buffer, every "
                               "input is read before it is overwritten");
          });
    add("progress", eachVariant([&](const JudgedVariant &judged) {
          return checkProgress(judged.steps());
        }),
        [&] { return describeProgress(); });
    const bool progresses = report_.checks.back().ok;
    addBandwidth();
    if (progresses)
      addPace();
    addQueues();
    addCertificate();
    report_.ok = std::all_of(report_.checks.begin(), report_.checks.end(),
                             [](const Check &check) { return check.ok; });
    return std::move(report_);
  }

private:
  template <typename Describe>
  void add(const char *name, const Failure &problem, Describe describe) {
    report_.checks.push_back(
        {name, !problem.has_value(), problem ? *problem : describe(), judged_});
    judged_ = graphs_.size() - 1;
  }

  /// Returns the first problem of any variant, preceded by the variant's number
  /// if there are several variants.
  template <typename Function> Failure eachVariant(Function check) {
    for (size_t i = 0; i < graphs_.size(); ++i) {
      judged_ = i;
      if (Failure problem = check(graphs_[i]))
        return graphs_.size() == 1
                   ? *problem
                   : "variant " + std::to_string(i) + ": " + *problem;
    }
    return std::nullopt;
  }
  template <typename Function> uint64_t sum(Function size) const {
    uint64_t total = 0;
    for (const JudgedVariant &judged : graphs_)
      total += uint64_t(size(judged.steps())) * judged.images();
    return total;
  }
  Bandwidth rateOfLinks(const JudgedVariant &judged) const {
    return rateOf(machine_, loadsInFull(machine_, symmetry_, program_,
                                        judged.steps().variant()));
  }

  void addOrder();
  void addBandwidth();
  void addPace();
  void addQueues();
  RangeTime timeOf(const FoldGraph &graph, const StepCosts &costs, double links,
                   double quotient) const;
  std::string describePaceAndTimes(const Pace &pace) const;
  void addCertificate();
  std::string describePaths() const;
  std::string describeResult() const;
  std::string describeProgress() const;

  const sched::Program &program_;
  const VerifyOptions options_;
  Semantics semantics_;
  TopologyView machine_;
  const ProgramSymmetry symmetry_;
  std::vector<JudgedVariant> graphs_; // one a variant
  size_t judged_ = 0;                 // the variant that the check is at
  SumOrder sums_;
  VerifyReport report_;
};

/// Returns the rate with the last variant, like addBandwidth, if elements have
/// `elementBytes` bytes.
double narrowRate(const TopologyView &machine, const ProgramSymmetry &symmetry,
                  const sched::Program &program, unsigned elementBytes) {
  const auto &variants = *program.variants();
  const double partialSums = program.accumulate() == sched::Accumulation::f32
                                 ? double(sizeof(float)) / elementBytes
                                 : 1;
  return rateOf(machine,
                loadsInFull(machine, symmetry, program,
                            *variants[variants.size() - 1], partialSums))
      .algbw;
}

/// Adds a check if the file states an order.
void Verifier::addOrder() {
  using sched::ReductionOrder;
  report_.order = sums_.proved(semantics_.numRanks());
  report_.orderOfNarrow =
      report_.order != ReductionOrder::none &&
      (sums_.sameFolds || program_.accumulate() == sched::Accumulation::f32);
  const ReductionOrder stated = program_.order();
  if (stated == ReductionOrder::none)
    return;
  Failure problem;
  if (report_.order == ReductionOrder::none)
    problem = sums_.difference + "; the file states one order";
  else if (stated == ReductionOrder::rank && report_.order != stated)
    problem = "all trees add in one order, but not ((0 + 1) + 2) + ..., which "
              "the file states";
  add("order", problem, [&] {
    return std::string("every element is added up in one order") +
           (report_.order == ReductionOrder::rank ? ", that of the ranks"
                                                  : "") +
           (report_.orderOfNarrow
                ? ""
                : "; but types of 8 and 16 bits, which are rounded where they "
                  "leave a step, in several steps");
  });
}

/// The rate of a program is that of its last variant, the one for messages
/// without a limit; variants for small messages trade rate for latency.
void Verifier::addBandwidth() {
  const Bandwidth bandwidth = rateOfLinks(graphs_.back());
  report_.links = bandwidth.algbw;
  const std::string limit =
      std::isinf(bandwidth.algbw)
          ? ""
          : ", limited by " + machine_.describe(bandwidth.bottleneck);
  Failure problem;
  if (!nearlyEqual(bandwidth.algbw, program_.algbw()))
    problem = "the links sustain " + rate(bandwidth.algbw) + limit +
              "; the file states " + rate(program_.algbw());
  add("bandwidth", problem, [&] {
    if (limit.empty())
      return std::string("no link carries anything");
    std::string text = "the links sustain " + rate(bandwidth.algbw) + limit;
    if (program_.accumulate() == sched::Accumulation::f32)
      text += "; with float32 for partial sums " +
              rate(narrowRate(machine_, symmetry_, program_, 2)) +
              " of types of 16 bits, " +
              rate(narrowRate(machine_, symmetry_, program_, 1)) + " of 8";
    return text;
  });
}

RangeTime Verifier::timeOf(const FoldGraph &graph, const StepCosts &costs,
                           double links, double quotient) const {
  const uint64_t bytes =
      std::min(graph.variant().max_bytes() - 1, kLargeMessage);
  const Cut cut = cutOf(semantics_, graph.variant(), links, bytes);
  const TimedGraph timed(machine_, graph, cut, costs);
  return {bytes, quotient, timeBound(timed, paceOf(timed))};
}

void Verifier::addPace() {
  Pace pace; // of the last variant, and so of the program
  for (const JudgedVariant &judged : graphs_) {
    const FoldGraph &graph = judged.steps();
    const sched::Variant &variant = graph.variant();
    if (!options_.times && &judged != &graphs_.back())
      continue;
    const double links = rateOfLinks(judged).algbw;
    const StepCosts &costs = variant.protocol() == sched::Protocol::low_latency
                                 ? options_.lowLatency
                                 : options_.simple;
    const Cut endless = cutOf(semantics_, variant, links);
    pace = paceOf(TimedGraph(machine_, graph, endless, costs));
    if (options_.times)
      report_.times.push_back(timeOf(graph, costs, links, pace.quotient));
  }
  report_.pace = pace.quotient;
  report_.algbw = report_.links * pace.quotient;
  add("pace", std::nullopt, [&] { return describePaceAndTimes(pace); });
}

std::string Verifier::describePaceAndTimes(const Pace &pace) const {
  char text[80];
  std::string all = "lanes in order keep all of the links' rate";
  if (!pace.circle.empty()) {
    std::snprintf(text, sizeof text, "lanes in order keep %.4g %%",
                  100 * pace.quotient);
    all = std::string(text) + " of the links' rate; the slowest circle is " +
          describePace(graphs_.back().steps(), pace);
  }
  if (std::isinf(report_.links))
    return all;
  for (const RangeTime &time : report_.times) {
    const bool last = &time == &report_.times.back();
    const bool longer = time.microseconds >= 1e4;
    std::snprintf(text, sizeof text, "%s%s in %.4g %s",
                  &time == &report_.times.front() ? "; at most, " : ", ",
                  last ? size(time.bytes).c_str()
                       : ("below " + size(time.bytes + 1)).c_str(),
                  time.microseconds * (longer ? 1e-3 : 1),
                  longer ? "ms" : "us");
    all += text;
  }
  return all;
}

void Verifier::addQueues() {
  Queue longest;
  size_t longestOf = 0;
  auto microseconds = [&](const Queue &queue) {
    return queue.bytes / (machine_.link(queue.link).bandwidth() * 1e3);
  };
  for (size_t i = 0; i < graphs_.size(); ++i) {
    const sched::Variant &variant = graphs_[i].steps().variant();
    const Queue queue = longestQueue(
        machine_, symmetry_.inFull(variant, queuedBytes(machine_, variant)));
    if (queue.bytes == 0 || microseconds(queue) <= microseconds(longest))
      continue;
    longest = queue;
    longestOf = i;
  }
  if (longest.bytes == 0)
    return;
  char text[80];
  std::snprintf(text, sizeof text, "%.4g KiB", longest.bytes / 1024);
  const std::string most = text;
  std::snprintf(text, sizeof text, "%.4g us", microseconds(longest));
  const std::string what = "chunks on their way may fill " + most +
                           " in front of " + machine_.describe(longest.link) +
                           ", which sends them in " + text;
  Failure problem;
  if (options_.queueBytes > 0 && longest.bytes > options_.queueBytes) {
    judged_ = longestOf;
    problem = what + "; expected no more than " +
              size(uint64_t(options_.queueBytes)) +
              ": smaller chunks (--chunk-bytes), or smaller windows";
  }
  add("queues", problem, [&] { return what; });
}

void Verifier::addCertificate() {
  const auto &prices = *program_.certificate()->prices();
  const std::vector<double> ofLinks(prices.begin(), prices.end());
  const std::vector<uint32_t> roots = symmetry_.rootsFor(prices);
  Repricing again =
      !roots.empty() && mayRepriceAlike(machine_, program_, symmetry_.group)
          ? repriceAlike(machine_, program_, ofLinks, symmetry_.group)
          : reprice(machine_, program_, ofLinks, {}, roots);
  report_.bound = again.bound;
  const double stated = program_.certificate()->bound();
  if (!again.problem && !nearlyEqual(again.bound, stated))
    again.problem = "the prices prove a bound of " + rate(again.bound) +
                    "; the file states " + rate(stated);
  // A rate above a true bound shows that the rate is wrong.
  if (!again.problem && !(program_.algbw() <= again.bound * (1 + 1e-9)))
    again.problem = "the stated rate, " + rate(program_.algbw()) +
                    ", is above the bound of " + rate(again.bound);
  add("certificate", again.problem, [&] {
    if (std::isinf(again.bound))
      return std::string("one rank: no link bounds the rate");
    char percent[40];
    std::snprintf(percent, sizeof percent, "%.4g %%",
                  100 * report_.algbw / again.bound);
    return "re-priced, no schedule exceeds " + rate(again.bound) +
           "; this one reaches " + percent;
  });
}

std::string Verifier::describePaths() const {
  const uint64_t channels = sum([](const FoldGraph &graph) {
    return graph.variant().channels()->size();
  });
  uint64_t kinds[size_t(sched::ChannelKind::MAX) + 1] = {};
  for (const JudgedVariant &judged : graphs_)
    for (const sched::Channel *channel : *judged.steps().variant().channels())
      kinds[size_t(channel->kind())] += judged.images();
  std::string text = count(channels, "channel");
  for (size_t kind = 0; kind < std::size(kinds); ++kind)
    if (kinds[kind] > 0)
      text += ", " + std::to_string(kinds[kind]) + " " +
              sched::EnumNameChannelKind(sched::ChannelKind(kind));
  return text + ": each on a path the runtime can drive";
}

std::string Verifier::describeResult() const {
  const uint32_t ranks = semantics_.numRanks();
  std::string text =
      count(sum([](const FoldGraph &graph) { return graph.numTrees(); }),
            "tree") +
      (graphs_.size() == 1 ? "" : " in " + count(graphs_.size(), "variant")) +
      ", " +
      count(sum([](const FoldGraph &graph) { return graph.numFolds(); }),
            "fold") +
      ", " + count(ranks, "rank") + ": ";
  switch (semantics_.collective()) {
  case sched::Collective::allreduce:
    return text + "each output holds all " + count(ranks, "contribution") +
           " once, in one order";
  case sched::Collective::reduce:
    return text + "the output of rank " + std::to_string(program_.root()) +
           " holds all " + count(ranks, "contribution") + " once";
  case sched::Collective::reducescatter:
    return text + "each output holds all " + count(ranks, "contribution") +
           " to its block once";
  case sched::Collective::broadcast:
    return text + "each output is the input of rank " +
           std::to_string(program_.root());
  case sched::Collective::allgather:
    return text + "each output holds the inputs of all ranks in order";
  case sched::Collective::gather:
    return text + "the output of rank " + std::to_string(program_.root()) +
           " holds the inputs of all ranks in order";
  case sched::Collective::scatter:
    return text + "each output is its rank's block of the input of rank " +
           std::to_string(program_.root());
  case sched::Collective::alltoall:
    return text + "block s of each output is the rank's block of input s";
  case sched::Collective::sendrecv:
    return text + "each pair's block is sent and received as it is";
  }
  return text;
}

std::string Verifier::describeProgress() const {
  return count(sum([](const FoldGraph &graph) { return graph.numFolds(); }),
               "fold") +
         " in " +
         count(sum([](const FoldGraph &graph) { return graph.numLanes(); }),
               "lane") +
         " never wait in a circle, for any number of chunks";
}

} // namespace

double narrowRateOf(const sched::Schedule &file, const sched::Program &program,
                    unsigned elementBytes) {
  return narrowRate(TopologyView(file, program), ProgramSymmetry(file, program),
                    program, elementBytes);
}

double paceOf(const sched::Schedule &file, const sched::Program &program) {
  const auto &variants = *program.variants();
  const FoldGraph graph(*variants[variants.size() - 1]);
  const TopologyView machine(file, program);
  const Cut cut = cutOf(Semantics(program), graph.variant(), program.algbw());
  return paceOf(TimedGraph(machine, graph, cut, {})).quotient;
}

VerifyReport verifyProgram(const sched::Schedule &file,
                           const sched::Program &program,
                           const VerifyOptions &options) {
  return Verifier(file, program, options).run();
}

} // namespace blink
