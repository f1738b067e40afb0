//===- Options.h - the command line of the storm ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_STORM_OPTIONS_H
#define BLINK_TEST_STORM_OPTIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace blink::storm {

struct Options {
  uint64_t seed = 0; ///< chosen at random unless given
  double seconds = 60;
  uint64_t calls = 0; ///< 0: as many as there is time for
  uint64_t mostBytes = 64 << 20;
  std::optional<unsigned> job; ///< this one alone
  std::optional<int> member;   ///< of a job of several processes: this rank
  /// Jobs are spread over servers, whose network channels go over this:
  /// "sockets" or "ucx". Empty: jobs are on one server.
  std::string servers;
  bool verbose = false;

  bool endless() const { return calls == 0 && seconds == 0; }
  /// What repeats job `number`, of so many calls.
  std::vector<std::string> argumentsFor(unsigned number,
                                        unsigned numCalls) const;
};

/// Reads the command line. False if the program is over: help was printed, or
/// what is wrong, and `exitCode` is set.
bool parseOptions(int argc, char **argv, Options &options, int &exitCode);

} // namespace blink::storm

#endif // BLINK_TEST_STORM_OPTIONS_H
