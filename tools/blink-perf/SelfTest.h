//===- SelfTest.h - every channel with data ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_SELFTEST_H
#define BLINK_TOOLS_BLINKPERF_SELFTEST_H

#include "tools/blink-perf/Cases.h"

namespace blink::perf {

/// Adds to `section` a case for each variant of the program, in a job in which
/// it is for `root` (and each type and operator of the options), at a size that
/// belongs to the variant and gives each of its channels data, where there is
/// one; and a sentence for each variant. Counts variants and channels in
/// `plan`.
void addSelfTest(const sched::Program &program, int root,
                 const Options &options, Plan &plan, Section &section);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_SELFTEST_H
