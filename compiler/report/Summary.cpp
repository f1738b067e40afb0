//===- Summary.cpp - a schedule in a few numbers --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/Summary.h"

#include "compiler/packing/Packing.h"
#include "compiler/plan/Latency.h"
#include "compiler/plan/TimeModel.h"
#include "compiler/target/FoldProgramFile.h"
#include "compiler/topology/AllocationList.h"
#include "compiler/verify/Verify.h"
#include "schedules/SymmetryGroup.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

using namespace blink;

ProgramKey ProgramKey::of(const sched::Program &program) {
  ProgramKey key;
  key.collective = program.collective();
  if (sched::isRooted(program.collective()))
    key.root = program.root();
  key.gpus.assign(program.allocation()->begin(), program.allocation()->end());
  if (program.relays())
    key.relays.assign(program.relays()->begin(), program.relays()->end());
  return key;
}

std::string ProgramKey::title() const {
  std::string title =
      llvm::formatv("{0} on {1} {2}", formatCollective(collective, root),
                    gpus.size() == 1 ? "GPU" : "GPUs", formatGpus(gpus))
          .str();
  if (!relays.empty())
    title += " with relays " + formatGpus(relays);
  return condition.empty() ? title : title + ", " + condition;
}

double Summary::percentOfBound() const {
  return std::isinf(bound) ? 100 : 100 * algbw / bound;
}

std::string Summary::gpuList() const { return formatGpus(gpus); }

bool VariantSummary::hasLimit() const {
  return maxBytes != std::numeric_limits<uint64_t>::max();
}

const VariantSummary &Summary::variantFor(uint64_t bytes) const {
  for (const VariantSummary &variant : variants)
    if (bytes < variant.maxBytes)
      return variant;
  return variants.back();
}

bool Summary::isOneHop(const VariantSummary &variant) const {
  return collective == Collective::allreduce && variant.hops == 1;
}

static VariantSummary summarizeVariant(const sched::Schedule &file,
                                       const sched::Program &program,
                                       const sched::Variant &variant) {
  FoldProgram folds = readProgram(file, program, variant);
  // A symmetric variant stores its representatives only; each other rank does
  // the same as one of them.
  const int images = variant.symmetric()
                         ? static_cast<int>(program.allocation()->size() /
                                            variant.ranks()->size())
                         : 1;
  VariantSummary summary;
  summary.minBytes = variant.min_bytes();
  summary.maxBytes = variant.max_bytes();
  summary.protocol = variant.protocol();
  summary.trees = images * static_cast<int>(folds.trees.size());
  summary.depth = 0;
  for (const FoldProgram::Tree &tree : folds.trees)
    summary.depth = std::max(summary.depth, tree.depth);
  summary.hops = hopsOf(folds);
  summary.latency = latencyOf(folds);
  summary.start = startOf(folds, variant.protocol());
  summary.lanes = 0;
  summary.steps = 0;
  for (const FoldProgram::Rank &rank : folds.ranks) {
    summary.lanes =
        std::max(summary.lanes, static_cast<int>(rank.lanes.size()));
    summary.steps += int64_t(images) * int64_t(rank.folds.size());
  }
  summary.channels = int64_t(images) * int64_t(folds.channels.size());
  summary.chunkBytes = static_cast<int>(variant.chunk_bytes());
  summary.leastChunkBytes = static_cast<int>(variant.least_chunk_bytes());
  summary.leastChunks = variant.least_chunks();
  return summary;
}

/// Counts the pairs of ranks with network channels between them. Ranks of an
/// orbit have equivalent peers, so symmetric variants count their
/// representatives' peers only.
static void countConnections(const sched::Schedule &file,
                             const sched::Program &program, Summary &summary) {
  sched::SymmetryGroup group; // the one that the loader makes
  static_cast<void>(
      sched::SymmetryGroup::create(*file.topology(), *program.allocation(),
                                   sched::renamingsOf(program), group));
  const auto ofRepresentative = [&](uint32_t rank, uint32_t other) {
    return group.mapRank(group.inverse(group.elementTo(rank)), other);
  };
  const auto visitNetwork = [&](bool symmetric, auto visit) {
    for (const sched::Variant *variant : *program.variants())
      if (variant->symmetric() == symmetric)
        for (const sched::Channel *channel : *variant->channels())
          if (channel->kind() == sched::ChannelKind::network)
            visit(channel->source(), channel->destination());
  };
  std::vector<std::set<uint32_t>> alike(group.representatives().size());
  visitNetwork(/*symmetric=*/true, [&](uint32_t one, uint32_t other) {
    alike[group.orbitOf(one)].insert(ofRepresentative(one, other));
    alike[group.orbitOf(other)].insert(ofRepresentative(other, one));
  });
  // Peers of ranks in variants that are not symmetric.
  std::map<uint32_t, std::set<uint32_t>> others;
  visitNetwork(/*symmetric=*/false, [&](uint32_t one, uint32_t other) {
    if (one < group.numRanks() && other < group.numRanks() &&
        alike[group.orbitOf(one)].count(ofRepresentative(one, other)))
      return;
    others[one].insert(other);
    others[other].insert(one);
  });
  size_t most = 0, ends = 0;
  for (const std::set<uint32_t> &peers : alike) {
    most = std::max(most, peers.size());
    ends += peers.size() * group.order();
  }
  for (const auto &[rank, peers] : others) {
    ends += peers.size();
    most =
        std::max(most, peers.size() + (rank < group.numRanks()
                                           ? alike[group.orbitOf(rank)].size()
                                           : 0));
  }
  summary.networkPeers = static_cast<int>(most);
  summary.connections = static_cast<int>(ends / 2);
}

Summary blink::summarize(const sched::Schedule &file,
                         const sched::Program &program) {
  std::vector<VariantSummary> variants;
  for (const sched::Variant *variant : *program.variants())
    variants.push_back(summarizeVariant(file, program, *variant));
  Summary summary;
  static_cast<VariantSummary &>(summary) = variants.back();
  static_cast<ProgramKey &>(summary) = ProgramKey::of(program);
  summary.topology = file.topology()->name()->str();
  summary.links = program.algbw();
  summary.pace = paceOf(file, program);
  summary.algbw = summary.links * summary.pace;
  summary.bound = program.certificate()->bound();
  summary.order = program.order();
  summary.accumulate = program.accumulate();
  summary.links16 = narrowRateOf(file, program, 2);
  summary.links8 = narrowRateOf(file, program, 1);
  for (const sched::Variant *variant : *program.variants())
    summary.inSwitch |= variant->switches() && variant->switches()->size() > 0;
  summary.variants = std::move(variants);
  countConnections(file, program, summary);
  return summary;
}

std::string blink::formatRate(double gbps) {
  if (std::isinf(gbps))
    return "unlimited (one GPU)";
  if (gbps < 0.1) // keep four digits of slow links
    return llvm::formatv("{0} GB/s", llvm::format("%.4g", gbps));
  return llvm::formatv("{0:F3} GB/s", gbps);
}

std::string blink::formatBytes(uint64_t bytes) {
  static constexpr llvm::StringLiteral kUnits[] = {"B", "KiB", "MiB", "GiB"};
  size_t unit = 0;
  while (unit < 3 && bytes >= 1024 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return llvm::formatv("{0} {1}", bytes, kUnits[unit]);
}

std::string blink::formatCollective(Collective collective,
                                    std::optional<int> root) {
  if (!root)
    return toString(collective).str();
  return llvm::formatv("{0} {1} rank {2}", toString(collective),
                       onlyRootGets(collective) ? "to" : "from", *root);
}

std::string blink::sizeRange(const VariantSummary &variant) {
  std::string least = formatBytes(variant.minBytes);
  if (!variant.hasLimit())
    return variant.minBytes == 0 ? "all sizes" : "from " + least;
  std::string most = formatBytes(variant.maxBytes);
  return variant.minBytes == 0 ? "below " + most : least + " to " + most;
}

std::vector<double> blink::linkLoads(const sched::Schedule &file,
                                     const sched::Program &program) {
  const auto &variants = *program.variants();
  std::vector<double> loads =
      loadsPerByte(readProgram(file, program, *variants[variants.size() - 1]));
  for (double &load : loads) // an idle link's is 0 at any rate
    load = load == 0 ? 0 : load * program.algbw();
  return loads;
}
