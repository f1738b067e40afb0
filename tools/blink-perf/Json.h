//===- Json.h - results as JSON ---------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_JSON_H
#define BLINK_TOOLS_BLINKPERF_JSON_H

#include "tools/blink-perf/Table.h"
#include "tools/blink-perf/Tune.h"

namespace blink::perf {

std::string formatJson(const Options &options, const Plan &plan,
                       const Summary &summary);
std::string formatTuneJson(const Options &options, const TuneSummary &summary);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_JSON_H
