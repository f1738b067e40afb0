//===- OneProcess.cpp - sanitizer options of a worker ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// ThreadSanitizer's options for programs that are one process of a job of
// several.
//
//===----------------------------------------------------------------------===//

#if defined(__SANITIZE_THREAD__)

/// A chunk that goes to another process and comes back is ordered by what that
/// process does, but ThreadSanitizer sees only this one. Jobs of one process
/// check the same folds without this exception.
extern "C" const char *__tsan_default_suppressions() {
  return "race:foldRange\nrace:foldLines\n";
}

/// A process that vanishes leaves the threads of emulated streams behind. The
/// reports that are suppressed above come by the thousand: ThreadSanitizer must
/// recognise them by their stacks, in a list that stays short, not by their
/// addresses. Its default sleep of a second at each exit, in which those
/// threads might race, takes too long.
extern "C" const char *__tsan_default_options() {
  return "report_thread_leaks=0:suppress_equal_addresses=0:"
         "atexit_sleep_ms=50";
}

#endif
