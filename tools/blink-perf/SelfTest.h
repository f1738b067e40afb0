//===- SelfTest.h - every channel with data ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_SELFTEST_H
#define BLINK_TOOLS_BLINKPERF_SELFTEST_H

#include "tools/blink-perf/Cases.h"

namespace blink::perf {

/// Adds to `section` a case for each variant of the program (and for each type
/// and operator of the options), in a job where its root is `root`. The size of
/// a case belongs to the variant and, if possible, gives data to each of its
/// channels. Also adds a sentence for each variant. Counts variants and
/// channels in `plan`.
void addSelfTest(const sched::Program &program, int root,
                 const Options &options, Plan &plan, Section &section);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_SELFTEST_H
