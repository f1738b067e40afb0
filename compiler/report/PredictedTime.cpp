//===- PredictedTime.cpp - predicted times of messages --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/PredictedTime.h"

#include "compiler/target/FoldProgramFile.h"

using namespace blink;

MessageTime blink::predictTime(const sched::Schedule &file,
                               const sched::Program &program,
                               const sched::Variant &variant) {
  return timeOf(readProgram(file, program, variant), variant.protocol(),
                sched::chunksOf(variant));
}

std::vector<double> blink::predictTimes(const sched::Schedule &file,
                                        const sched::Program &program,
                                        const std::vector<uint64_t> &sizes) {
  std::vector<double> times(sizes.size());
  for (const sched::Variant *variant : *program.variants()) {
    MessageTime time = predictTime(file, program, *variant);
    for (size_t i = 0; i < sizes.size(); ++i)
      if (sizes[i] >= variant->min_bytes() && sizes[i] < variant->max_bytes())
        times[i] = time.at(sizes[i]);
  }
  return times;
}
