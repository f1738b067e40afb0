//===- HangSignal.h - pictures on SIGUSR2 -----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// With BLINK_HANG_SIGNAL=1 in the environment a process answers SIGUSR2 with
// pictures of its jobs: as JSON in a file of the folder BLINK_HANG_DIR, or as
// text on stderr. The handler only wakes a thread, which does the work.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_HANGSIGNAL_H
#define BLINK_RUNTIME_FLIGHT_HANGSIGNAL_H

namespace blink::runtime {

/// Installs the handler, once per process and again in a forked child, if
/// BLINK_HANG_SIGNAL asks for it and the application has no handler of its own,
/// which then stays. Logs a warning if it cannot.
void takeHangSignal();

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_HANGSIGNAL_H
