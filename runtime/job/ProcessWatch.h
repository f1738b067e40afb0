//===- ProcessWatch.h - has that process died? ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_PROCESSWATCH_H
#define BLINK_RUNTIME_JOB_PROCESSWATCH_H

#include "runtime/job/Descriptor.h"

#include <cstdint>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace blink::runtime {

/// Watches one process, even if its process id is used again later. On systems
/// without this facility (Linux before 5.3) the process never seems to die, and
/// time limits have to suffice.
class ProcessWatch {
public:
  void start(uint64_t process) {
#if defined(SYS_pidfd_open)
    process_ = Descriptor(int(syscall(SYS_pidfd_open, pid_t(process), 0)));
#endif
  }
  bool died() const {
    pollfd process{process_.get(), POLLIN, 0};
    return process_ && poll(&process, 1, 0) == 1;
  }

private:
  Descriptor process_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_PROCESSWATCH_H
