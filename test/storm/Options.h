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
  std::optional<unsigned> job; ///< run only this one
  std::optional<int> member;   ///< run only this rank, as a process
  /// What carries the network channels if jobs are spread over servers:
  /// "sockets" or "ucx". Empty: each job is on one server.
  std::string servers;
  bool verbose = false;

  bool endless() const { return calls == 0 && seconds == 0; }
  /// Returns the arguments that repeat job `number` with `numCalls` calls.
  std::vector<std::string> argumentsFor(unsigned number,
                                        unsigned numCalls) const;
};

/// Reads the command line. Returns false if the program should end with
/// `exitCode`: help or an error has been printed.
bool parseOptions(int argc, char **argv, Options &options, int &exitCode);

} // namespace blink::storm

#endif // BLINK_TEST_STORM_OPTIONS_H
