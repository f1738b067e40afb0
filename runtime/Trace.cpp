//===- Trace.cpp - folds over time, for Perfetto --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/Trace.h"

#include "runtime/Log.h"
#include "schedules/trace/PerfettoTrace.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <set>
#include <unistd.h>

namespace blink::runtime {

bool wantsTraces() {
  const char *text = std::getenv("BLINK_TRACE");
  return text && *text;
}

std::string nextTraceFile() {
  static std::atomic<int> made{0};
  if (!wantsTraces())
    return "";
  std::string path = std::getenv("BLINK_TRACE");
  const size_t place = path.rfind("%p");
  if (place != std::string::npos)
    path.replace(place, 2, std::to_string(getpid()));
  // Relaxed: only that numbers differ matters.
  const int number = made.fetch_add(1, std::memory_order_relaxed);
  return number == 0 ? path : path + "." + std::to_string(number);
}

static void addFolds(uint32_t rank, uint32_t lane, const LaneTrace &trace,
                     sched::ReplayTrace &replay) {
  const uint64_t kept = std::min<uint64_t>(trace.count, LaneTrace::kEvents);
  for (uint64_t i = 0; i < kept; ++i) {
    const TraceEvent &event = trace.events[i];
    replay.folds.push_back({rank, lane, event.step, uint32_t(event.variant),
                            event.chunk, event.bytes, event.ready, event.end,
                            event.waited, event.moved});
  }
  if (trace.count > kept)
    log(LogLevel::warn, int(rank), "trace: lane ", lane, " ran ", trace.count,
        " folds, the first ", kept, " are kept");
}

namespace {

/// Names what the steps of a plan do. What links carry, nobody here knows:
/// instead of links there are pairs of ranks.
class Describer {
public:
  Describer(const Plan &plan, sched::ReplayTrace &replay)
      : plan_(plan), replay_(replay) {}

  void run() {
    for (size_t rank = 0; rank < size_t(plan_.numRanks); ++rank)
      replay_.ranks.push_back(
          "rank " + std::to_string(rank) +
          (rank < plan_.gpus.numbers.size()
               ? " (GPU " + std::to_string(plan_.gpus.numbers[rank]) + ")"
               : ""));
    std::set<uint32_t> used, ranks;
    for (const sched::TracedFold &fold : replay_.folds) {
      used.insert(fold.variant);
      ranks.insert(fold.rank);
    }
    for (const ProgramPlan &program : plan_.programs)
      for (const VariantPlan &variant : program.variants)
        if (used.count(variant.number))
          describe(program, variant, ranks);
  }

private:
  void describe(const ProgramPlan &program, const VariantPlan &variant,
                const std::set<uint32_t> &ranks);
  uint32_t pairOf(uint32_t source, uint32_t destination) {
    const auto [place, isNew] = pairs_.try_emplace(
        {source, destination}, uint32_t(replay_.links.size()));
    if (isNew)
      replay_.links.push_back("rank " + std::to_string(source) + " -> rank " +
                              std::to_string(destination));
    return place->second;
  }

  const Plan &plan_;
  sched::ReplayTrace &replay_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> pairs_;
};

} // namespace

void Describer::describe(const ProgramPlan &program, const VariantPlan &variant,
                         const std::set<uint32_t> &ranks) {
  if (replay_.variants.size() <= variant.number)
    replay_.variants.resize(variant.number + 1);
  sched::TraceVariant &described = replay_.variants[variant.number];
  described.name =
      std::string(sched::EnumNameCollective(program.program->collective())) +
      ", chunks of " + std::to_string(variant.chunks.bytes) + " bytes";
  for (uint32_t number : variant.rings) {
    const RingPlan &ring = plan_.rings[number];
    sched::TraceChannel channel{ring.source, ring.destination, {}};
    // Of other writers there are no folds here.
    if (ranks.count(ring.source))
      channel.links.push_back(pairOf(ring.source, ring.destination));
    described.channels.push_back(std::move(channel));
  }
  described.steps.resize(variant.ranks.size());
  for (uint32_t rank : ranks) {
    const RankCode &code = variant.ranks[rank].code;
    for (uint32_t l = 0; l < code.numLanes; ++l) {
      auto &steps = described.steps[rank].emplace_back();
      for (uint32_t s = 0; s < code.lanes[l].stepsCount; ++s) {
        const StepCode &step = code.steps[code.lanes[l].stepsBegin + s];
        sched::TraceStep &of = steps.emplace_back();
        of.tree = step.tree;
        for (uint32_t i = 0; i < step.numOperands(); ++i) {
          const OperandCode &operand = code.operands[step.operandsBegin + i];
          if (operand.kind == OperandKind::channel)
            (i < step.sources ? of.reads : of.writes).push_back(operand.index);
        }
      }
    }
  }
}

static void
writeAll(const std::string &path, const Plan &plan, size_t numRanks,
         const std::function<const LaneTrace *(size_t rank, uint32_t lane)>
             &traceOf) {
  sched::ReplayTrace replay;
  for (size_t rank = 0; rank < numRanks; ++rank)
    for (uint32_t lane = 0; lane < plan.numLanes; ++lane)
      if (const LaneTrace *trace = traceOf(rank, lane))
        addFolds(uint32_t(rank), lane, *trace, replay);
  Describer(plan, replay).run();
  const std::string bytes = sched::toPerfetto(replay);
  std::FILE *file = std::fopen(path.c_str(), "w");
  bool good = file != nullptr;
  if (file) {
    good = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    good = std::fclose(file) == 0 && good;
  }
  if (!good)
    log(LogLevel::warn, -1,
        "trace: cannot write " + path + ": " + std::strerror(errno));
}

void writeTraces(
    const std::string &path, const Plan &plan, size_t numRanks,
    const std::function<const LaneTrace *(size_t rank, uint32_t lane)>
        &traceOf) {
  if (path.empty())
    return;
  try {
    writeAll(path, plan, numRanks, traceOf);
  } catch (const std::bad_alloc &) { // destructors call this
    log(LogLevel::warn, -1, "trace: no memory to write it");
  }
}

} // namespace blink::runtime
