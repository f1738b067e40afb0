//===- TuneReport.h - a tuning as tables ------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_TUNEREPORT_H
#define BLINK_TOOLS_BLINKPERF_TUNEREPORT_H

#include "tools/blink-perf/Tune.h"

namespace blink::perf {

void printTuneTitle(const Options &options);
void printTuning(const Options &options, const ProgramReport &program);
void printTuneSummary(const Options &options, const TuneSummary &summary);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_TUNEREPORT_H
