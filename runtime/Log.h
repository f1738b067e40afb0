//===- Log.h - lines for BLINK_DEBUG ----------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_LOG_H
#define BLINK_RUNTIME_LOG_H

#include "schedules/Text.h"

namespace blink::runtime {

enum class LogLevel { none, warn, info, trace };

/// Returns the level that BLINK_DEBUG asks for; reads the variable only once.
LogLevel logLevel();

/// Writes `host:pid:tid [rank] BLINK LEVEL text` to stderr. If `rank` is
/// negative, the line is about no particular rank.
void writeLog(LogLevel level, int rank, const std::string &text);

/// Writes textOf(parts...) if BLINK_DEBUG asks for `level`.
template <typename... Parts>
void log(LogLevel level, int rank, const Parts &...parts) {
  if (level <= logLevel())
    writeLog(level, rank, textOf(parts...));
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_LOG_H
