//===- Options.h - the command line of blink-top ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKTOP_OPTIONS_H
#define BLINK_TOOLS_BLINKTOP_OPTIONS_H

#include <cstdint>
#include <stdexcept>

namespace blink::top {

struct Options {
  uint64_t process = 0; ///< with jobs of this process; 0: all jobs of the user
  bool json = false;
  bool history = false; ///< also calls that have ended
  bool once = false;
  double seconds = 1; ///< between updates
};

/// A wrong call: exit code 2.
struct UsageError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// Reads the command line. If it asks for help or the version, prints that and
/// returns false. Throws UsageError.
bool parseOptions(int argc, char **argv, Options &options);

} // namespace blink::top

#endif // BLINK_TOOLS_BLINKTOP_OPTIONS_H
