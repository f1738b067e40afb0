//===- PredictedTime.cpp - how long a message may take --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/PredictedTime.h"

#include "compiler/packing/TimeModel.h"
#include "compiler/report/Latency.h"
#include "compiler/report/Summary.h"

#include <algorithm>

using namespace blink;

/// GB/s that the links let a variant have; infinite where none carries
/// anything.
static double rateOf(const sched::Schedule &file, const sched::Program &program,
                     const sched::Variant &variant) {
  std::vector<double> loads = loadsPerByte(file, program, variant);
  double nanosecondsPerByte = 0;
  for (size_t link = 0; link < loads.size(); ++link)
    nanosecondsPerByte = std::max(
        nanosecondsPerByte,
        loads[link] / file.topology()->links()->Get(link)->bandwidth());
  return 1 / nanosecondsPerByte;
}

/// How often the busiest lane moves the buffer: half of what it reads from
/// channels and writes to them.
static double movesOf(const sched::Program &program,
                      const sched::Variant &variant) {
  double blocks = blocksOfBuffer(
      program.collective(), static_cast<int>(program.allocation()->size()));
  double most = 0;
  for (const sched::RankProgram *rank : *variant.ranks())
    for (const sched::Lane *lane : *rank->lanes()) {
      double moved = 0;
      for (uint32_t i = 0; i < lane->steps_count(); ++i) {
        const sched::Step &step = *rank->steps()->Get(lane->steps_begin() + i);
        const sched::Tree &tree = *variant.trees()->Get(step.tree());
        double share = double(tree.numerator()) / tree.denominator() / blocks;
        uint32_t operands = uint32_t(step.sources()) + step.destinations();
        for (uint32_t k = 0; k < operands; ++k)
          if (rank->operands()->Get(step.operands_begin() + k)->kind() ==
              sched::OperandKind::channel)
            moved += share;
      }
      most = std::max(most, moved);
    }
  return std::max(1.0, most / 2);
}

std::vector<double> blink::predictTimes(const sched::Schedule &file,
                                        const sched::Program &program,
                                        const std::vector<uint64_t> &sizes) {
  std::vector<double> times(sizes.size());
  for (const sched::Variant *variant : *program.variants()) {
    MessageTime time = messageTime(
        costsOf(variant->protocol()), startOf(file, *variant),
        rateOf(file, program, *variant), movesOf(program, *variant));
    for (size_t i = 0; i < sizes.size(); ++i)
      if (sizes[i] >= variant->min_bytes() && sizes[i] < variant->max_bytes())
        times[i] = time.start + double(sizes[i]) * time.perByte;
  }
  return times;
}
