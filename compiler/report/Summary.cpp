//===- Summary.cpp - a schedule in a few numbers --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/Summary.h"

#include "compiler/packing/Packing.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace blink;

double Summary::percentOfBound() const {
  return std::isinf(bound) ? 100 : 100 * algbw / bound;
}

std::string Summary::gpuList() const {
  // A list as it can be given to --gpus; of many GPUs, ranges.
  constexpr size_t kMostListed = 16;
  std::vector<std::string> words;
  for (size_t begin = 0, end; begin < gpus.size(); begin = end) {
    end = begin + 1;
    while (gpus.size() > kMostListed && end < gpus.size() &&
           gpus[end] == gpus[end - 1] + 1)
      ++end;
    words.push_back(std::to_string(gpus[begin]));
    if (end - begin > 1)
      words.back() += "-" + std::to_string(gpus[end - 1]);
  }
  return llvm::join(words, ",");
}

/// The latest arrival at the end of any channel: a fold waits for all it reads,
/// then each channel it writes takes the latency of its links. Folds and
/// channels have no circle, or nothing would ever arrive.
static double slowestWay(const sched::Schedule &file,
                         const sched::Variant &variant) {
  size_t numChannels = variant.channels()->size();
  // Per channel: the channels that the fold which writes it reads.
  std::vector<std::vector<uint32_t>> inputs(numChannels);
  for (const sched::RankProgram *rank : *variant.ranks())
    for (const sched::Step *step : *rank->steps()) {
      std::vector<uint32_t> read;
      for (uint32_t i = 0; i < uint32_t(step->sources()) + step->destinations();
           ++i) {
        const sched::Operand *operand =
            rank->operands()->Get(step->operands_begin() + i);
        if (operand->kind() != sched::OperandKind::channel)
          continue;
        if (i < step->sources())
          read.push_back(operand->index());
        else
          inputs[operand->index()] = read;
      }
    }
  std::vector<double> arrivals(numChannels, -1);
  double latest = 0;
  std::vector<uint32_t> stack;
  for (uint32_t first = 0; first < numChannels; ++first) {
    stack.push_back(first);
    // A channel is looked at again when those it waits for are known; more
    // than numChannels deep would be a circle.
    while (!stack.empty() && stack.size() <= numChannels) {
      uint32_t at = stack.back();
      double start = 0;
      bool known = arrivals[at] < 0;
      for (uint32_t input : inputs[at])
        if (known && arrivals[input] < 0) {
          stack.push_back(input);
          known = false;
        } else {
          start = std::max(start, arrivals[input]);
        }
      if (stack.back() != at)
        continue;
      stack.pop_back();
      if (arrivals[at] >= 0)
        continue;
      const sched::Channel *channel = variant.channels()->Get(at);
      for (uint32_t i = 0; i < channel->path_count(); ++i)
        start += file.topology()
                     ->links()
                     ->Get(variant.paths()->Get(channel->path_begin() + i))
                     ->latency();
      arrivals[at] = start;
      latest = std::max(latest, start);
    }
    stack.clear();
  }
  return latest;
}

Summary blink::summarize(const sched::Schedule &file,
                         const sched::Program &program) {
  const sched::Variant &variant = *program.variants()->Get(0);
  Summary summary;
  summary.topology = file.topology()->name()->str();
  summary.collective = program.collective();
  summary.gpus.assign(program.allocation()->begin(),
                      program.allocation()->end());
  if (isRooted(program.collective()))
    summary.root = program.root();
  summary.algbw = program.algbw();
  summary.bound = program.certificate()->bound();
  summary.trees = static_cast<int>(variant.trees()->size());
  summary.depth = 0;
  for (const sched::Tree *tree : *variant.trees())
    summary.depth = std::max<int>(summary.depth, tree->depth());
  summary.latency = slowestWay(file, variant);
  summary.lanes = 0;
  for (const sched::RankProgram *rank : *variant.ranks())
    summary.lanes =
        std::max<int>(summary.lanes, static_cast<int>(rank->lanes()->size()));
  summary.channels = static_cast<int>(variant.channels()->size());
  summary.chunkBytes = static_cast<int>(variant.chunk_bytes());
  return summary;
}

std::string blink::formatRate(double gbps) {
  if (std::isinf(gbps))
    return "unlimited (one GPU)";
  if (gbps < 0.1) // keep four digits of slow links
    return llvm::formatv("{0} GB/s", llvm::format("%.4g", gbps)).str();
  return llvm::formatv("{0:F3} GB/s", gbps).str();
}

std::vector<double> blink::linkLoads(const sched::Schedule &file,
                                     const sched::Program &program) {
  const sched::Variant &variant = *program.variants()->Get(0);
  std::vector<double> loads(file.topology()->links()->size(), 0);
  if (std::isinf(program.algbw()))
    return loads;
  double blocks = blocksOfBuffer(program.collective(),
                                 static_cast<int>(variant.ranks()->size()));
  for (const sched::Channel *channel : *variant.channels()) {
    const sched::Tree *tree = variant.trees()->Get(channel->tree());
    double share = double(tree->numerator()) / tree->denominator() / blocks;
    for (uint32_t i = 0; i < channel->path_count(); ++i)
      loads[variant.paths()->Get(channel->path_begin() + i)] +=
          share * program.algbw();
  }
  return loads;
}
