//===- Options.h - options of the performance test --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_NCCLPROGRAMS_OPTIONS_H
#define BLINK_TEST_NCCLPROGRAMS_OPTIONS_H

#include "test/nccl-programs/Elements.h"

namespace perf {

/// The letters are those of nccl-tests, except that -c and -p are this
/// program's own.
struct Options {
  std::vector<std::string> collectives{"all_reduce"}; ///< -c, or "all"
  std::vector<Type> chosenTypes;                      ///< -d, or "all"
  std::vector<Op> chosenOps;                          ///< -o, or "all"
  int root = 0;                                       ///< -r; -1: each in turn
  size_t minBytes = 0, maxBytes = 0, factor = 2;      ///< -b -e -f
  int threads = 1, gpus = 1; ///< -t, and -g of each thread
  int iterations = 2;        ///< timed calls -n; 0: none
  int warmup = 1;            ///< -w
  int graphs = 0;            ///< -G: launches of each graph; 0: no graphs
  int registration = 0;      ///< -R: 1 ncclCommRegister, 2 windows
  bool parallelInit = false; ///< -p: each thread makes its own communicators
};

/// Reads the command line. Returns false after printing an error.
bool parse(int argc, char **argv, Options &options);

} // namespace perf

#endif // BLINK_TEST_NCCLPROGRAMS_OPTIONS_H
