//===- Json.h - results as JSON ---------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_JSON_H
#define BLINK_TOOLS_BLINKPERF_JSON_H

#include "tools/blink-perf/Table.h"

namespace blink::perf {

std::string formatJson(const Options &options, const Plan &plan,
                       const Summary &summary);

/// A string or a number of JSON; null for what is no finite number.
std::string quote(const std::string &text);
std::string number(double value);
std::string list(const std::vector<int> &numbers);

/// Writes under a temporary name and renames, so that `path` holds the old
/// content or the new; what is no regular file (/dev/stdout) is written in
/// place. Throws std::runtime_error; the temporary file is gone then.
void writeFile(const std::string &path, const std::string &text);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_JSON_H
