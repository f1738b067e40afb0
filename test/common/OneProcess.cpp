//===- OneProcess.cpp - what sanitizers are told of a worker --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// ThreadSanitizer's options of programs that are one process of a job of
// several.
//
//===----------------------------------------------------------------------===//

#if defined(__SANITIZE_THREAD__)

/// A chunk that goes to another process and comes back is ordered by what that
/// process does, and ThreadSanitizer sees one process. The same folds are
/// checked without exception in jobs of one process.
extern "C" const char *__tsan_default_suppressions() {
  return "race:foldRange\nrace:foldLines\n";
}

/// A process that vanishes leaves the threads of emulated streams behind. What
/// is silenced above comes thousands of times: it is known again by its stacks,
/// in a list that stays short, not by its addresses.
/// A second at each exit, in which those threads might race, is long.
extern "C" const char *__tsan_default_options() {
  return "report_thread_leaks=0:suppress_equal_addresses=0:"
         "atexit_sleep_ms=50";
}

#endif
