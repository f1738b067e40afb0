//===- Log.h - lines for BLINK_DEBUG ----------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_LOG_H
#define BLINK_RUNTIME_LOG_H

#include <string>

namespace blink::runtime {

enum class LogLevel { none, warn, info, trace };

/// What BLINK_DEBUG asks for; read once.
LogLevel logLevel();

/// Writes `host:pid:tid [rank] BLINK LEVEL text` to stderr if BLINK_DEBUG asks
/// for `level`. A negative rank is none in particular.
void log(LogLevel level, int rank, const std::string &text);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_LOG_H
