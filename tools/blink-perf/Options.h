//===- Options.h - the command line of blink-perf ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Letters and meanings are nccl-tests' where it has them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_OPTIONS_H
#define BLINK_TOOLS_BLINKPERF_OPTIONS_H

#include "runtime/blink.h"
#include "schedules/Text.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace blink::perf {

/// Who drives the ranks.
enum class Mode {
  group,    ///< one thread, all ranks in a group
  threads,  ///< a thread a rank
  processes ///< a process a rank
};
const char *nameOf(Mode mode);

struct Options {
  std::vector<std::string> files;
  uint64_t minBytes = 8, maxBytes = 64 << 20;
  uint64_t stepBytes = 0; ///< 0: by stepFactor
  uint64_t stepFactor = 2;
  int iterations = 20, warmup = 5;
  bool check = true;
  std::vector<blinkDataType_t> types{blinkFloat32};
  std::vector<blinkRedOp_t> ops{blinkSum};
  int root = -1; ///< -1: every root there is a program for
  Mode mode = Mode::group;
  std::string collective; ///< empty: all
  int ranks = 0;          ///< 0: those of the first program
  blinkBackend_t backend = blinkBackendHost;
  int rank = -1; ///< this process's, the others are others; -1: all are its
  std::string idFile;    ///< by which the ranks agree on the job's id
  std::vector<int> gpus; ///< of the ranks, for bundles; empty: 0, 1, 2, ...
  /// One: of all ranks; empty: rank r on GPU r, or of a bundle on its own.
  std::vector<int> devices;
  int graphLaunches = 0;  ///< 0: no CUDA graph
  bool registers = false; ///< buffers, which are blinkMemAlloc's then
  std::string json;       ///< empty: none
  std::string trace;      ///< the file for it; empty: none
  int timeoutMs = 0;      ///< 0: the runtime's default
  bool selfTest = false;  ///< each variant once, all channels with data
  bool tune = false;      ///< correct the one file, write it to `output`
  std::string output;
  std::string costs;           ///< calibrate, into this file
  bool onlyOutOfPlace = false; ///< not of the command line
};

/// The call or an input is wrong: exit code 2.
struct UsageError : std::runtime_error {
  template <typename... Parts>
  explicit UsageError(const Parts &...parts)
      : std::runtime_error(textOf(parts...)) {}
};

/// Reads the command line. Prints help or version and returns false where that
/// was asked for. Throws UsageError.
bool parseOptions(int argc, char **argv, Options &options);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_OPTIONS_H
