//===- PredictedTime.cpp - predicted times of messages --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/PredictedTime.h"

#include "compiler/target/FoldProgramFile.h"
#include "schedules/TimePoints.h"

using namespace blink;

MessageTime blink::modelTime(const sched::Schedule &file,
                             const sched::Program &program,
                             const sched::Variant &variant) {
  return timeOf(readProgram(file, program, variant), variant.protocol(),
                sched::chunksOf(variant));
}

double blink::predictTime(const sched::Schedule &file,
                          const sched::Program &program,
                          const sched::Variant &variant, uint64_t bytes) {
  return variant.times() ? sched::timeAt(*variant.times(), bytes)
                         : modelTime(file, program, variant).at(bytes);
}

std::vector<double> blink::predictTimes(const sched::Schedule &file,
                                        const sched::Program &program,
                                        const std::vector<uint64_t> &sizes) {
  std::vector<double> times(sizes.size());
  for (const sched::Variant *variant : *program.variants())
    for (size_t i = 0; i < sizes.size(); ++i)
      if (sizes[i] >= variant->min_bytes() && sizes[i] < variant->max_bytes())
        times[i] = predictTime(file, program, *variant, sizes[i]);
  return times;
}
