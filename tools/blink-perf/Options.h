//===- Options.h - the command line of blink-perf ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Letters and meanings are those of nccl-tests, where it has such an option.
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

/// What drives the ranks.
enum class Mode {
  group,    ///< one thread, all ranks in a group
  threads,  ///< one thread per rank
  processes ///< one process per rank
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
  int root = -1; ///< -1: every root that has a program
  Mode mode = Mode::group;
  std::string collective; ///< empty: all
  int ranks = 0;          ///< 0: those of the first program
  blinkBackend_t backend = blinkBackendHost;
  int rank = -1;      ///< of this process, others have the rest; -1: it has all
  std::string idFile; ///< the file in which the ranks agree on the job's id
  std::vector<int> gpus; ///< of the ranks, for bundles; empty: 0, 1, 2, ...
  /// One per rank, or one for all; empty: rank r on GPU r, with a bundle on the
  /// rank's own GPU.
  std::vector<int> devices;
  int graphLaunches = 0;  ///< 0: no CUDA graph
  bool registers = false; ///< buffers, which then are blinkMemAlloc's
  std::string json;       ///< empty: none
  std::string trace;      ///< path; empty: none
  int timeoutMs = 0;      ///< 0: the runtime's default
  bool selfTest = false;  ///< run each variant once, with data in all channels
  bool tune = false;      ///< correct the single file, write it to `output`
  std::string output;
  std::string costs;           ///< not empty: calibrate, write to this file
  bool onlyOutOfPlace = false; ///< not an option of the command line
};

/// A wrong call or a wrong input: exit code 2.
struct UsageError : std::runtime_error {
  template <typename... Parts>
  explicit UsageError(const Parts &...parts)
      : std::runtime_error(textOf(parts...)) {}
};

/// Reads the command line. If it asks for help or the version, prints that and
/// returns false. Throws UsageError.
bool parseOptions(int argc, char **argv, Options &options);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_OPTIONS_H
