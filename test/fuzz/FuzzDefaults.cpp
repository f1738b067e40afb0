//===- FuzzDefaults.cpp - sanitizer settings while fuzzing ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

/// LLVM's libraries are not instrumented but its headers are, so user poisoning
/// would cause false reports. Recording stacks of allocations takes half of the
/// time, and a large quarantine drops memory out of the caches. To see where
/// something was allocated, run the input again with
/// ASAN_OPTIONS=malloc_context_size=30.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_odr_violation=0:"
         "max_allocation_size_mb=1024:malloc_context_size=1:"
         "quarantine_size_mb=16";
}

extern "C" const char *__ubsan_default_options() {
  return "print_stacktrace=1";
}
