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
  uint64_t process = 0; ///< whose jobs; 0: all of the user's
  bool json = false;
  bool history = false; ///< calls that have ended, too
  bool once = false;
  double seconds = 1; ///< between looks
};

/// The call is wrong: exit code 2.
struct UsageError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// Reads the command line. Prints help or version and returns false where that
/// was asked for. Throws UsageError.
bool parseOptions(int argc, char **argv, Options &options);

} // namespace blink::top

#endif // BLINK_TOOLS_BLINKTOP_OPTIONS_H
