//===- ProcessWatch.h - has that process died? ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_PROCESSWATCH_H
#define BLINK_RUNTIME_JOB_PROCESSWATCH_H

#include <cstdint>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace blink::runtime {

/// Watches one process, whatever becomes of its number afterwards. On systems
/// that cannot (Linux before 5.3) it never dies, and time limits have to do.
class ProcessWatch {
public:
  ProcessWatch() = default;
  ProcessWatch(const ProcessWatch &) = delete;
  ~ProcessWatch() {
    if (descriptor_ >= 0)
      close(descriptor_);
  }

  void start(uint64_t process) {
#if defined(SYS_pidfd_open)
    descriptor_ = int(syscall(SYS_pidfd_open, pid_t(process), 0));
#endif
  }
  bool died() const {
    pollfd process{descriptor_, POLLIN, 0};
    return descriptor_ >= 0 && poll(&process, 1, 0) == 1;
  }

private:
  int descriptor_ = -1;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_PROCESSWATCH_H
