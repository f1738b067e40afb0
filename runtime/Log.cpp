//===- Log.cpp - lines for BLINK_DEBUG ------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/Log.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

namespace blink::runtime {
namespace {

LogLevel readLevel() {
  const char *word = std::getenv("BLINK_DEBUG");
  if (!word)
    return LogLevel::none;
  if (std::strcmp(word, "WARN") == 0)
    return LogLevel::warn;
  if (std::strcmp(word, "INFO") == 0)
    return LogLevel::info;
  if (std::strcmp(word, "TRACE") == 0)
    return LogLevel::trace;
  if (*word)
    std::fprintf(stderr,
                 "blink: BLINK_DEBUG is %s, expected WARN, INFO or TRACE\n",
                 word);
  return LogLevel::none;
}

} // namespace

LogLevel logLevel() {
  static const LogLevel level = readLevel();
  return level;
}

void writeLog(LogLevel level, int rank, const std::string &text) {
  const char *name = level == LogLevel::warn   ? "WARN"
                     : level == LogLevel::info ? "INFO"
                                               : "TRACE";
  char host[64] = "?";
  gethostname(host, sizeof(host) - 1);
  std::string where = rank >= 0 ? std::to_string(rank) : "-";
  // One call, so that lines of several threads do not mix.
  std::fprintf(stderr, "%s:%ld:%ld [%s] BLINK %s %s\n", host, long(getpid()),
               long(syscall(SYS_gettid)), where.c_str(), name, text.c_str());
}

} // namespace blink::runtime
