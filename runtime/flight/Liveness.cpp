//===- Liveness.cpp - whether a process runs ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/flight/Liveness.h"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace blink::runtime {
namespace {

struct Stat {
  char state = 0; ///< 0: there is no such process
  unsigned long long threads = 0, started = 0;
};

Stat readStat(uint64_t process) {
  Stat stat;
  const std::string path = "/proc/" + std::to_string(process) + "/stat";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  char text[1024];
  const ssize_t size = file < 0 ? -1 : read(file, text, sizeof(text) - 1);
  if (file >= 0)
    close(file);
  if (size <= 0)
    return stat;
  text[size] = '\0';
  // The process's name, in parentheses, may contain spaces and parentheses.
  const char *behind = std::strrchr(text, ')');
  if (!behind ||
      // Fields 3, 20 and 22 of proc(5).
      std::sscanf(behind + 1,
                  " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                  "%*s %*s %*s %llu %*s %llu",
                  &stat.state, &stat.threads, &stat.started) != 3)
    stat.state = 0;
  return stat;
}

} // namespace

uint64_t startOf(uint64_t process) {
  const Stat stat = readStat(process);
  return stat.state ? stat.started : 0;
}

uint64_t pidNamespace() {
  struct stat status{};
  stat("/proc/self/ns/pid", &status);
  return status.st_ino;
}

Liveness livenessOf(uint64_t process, uint64_t started, uint64_t space) {
  if (space != pidNamespace())
    return Liveness::unknown;
  const Stat stat = readStat(process);
  if (!stat.state || stat.started != started || stat.state == 'X' ||
      // If only the first thread has ended, the others still run.
      (stat.state == 'Z' && stat.threads <= 1))
    return Liveness::dead;
  return stat.state == 'T' || stat.state == 't' ? Liveness::stopped
                                                : Liveness::runs;
}

} // namespace blink::runtime
