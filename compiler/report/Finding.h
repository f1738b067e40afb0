//===- Finding.h - one thing that changed between schedules -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What a comparison finds, in an order and in words that all comparisons share.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_FINDING_H
#define BLINK_COMPILER_REPORT_FINDING_H

#include "compiler/report/Summary.h"

#include "llvm/ADT/ArrayRef.h"

#include <tuple>
#include <variant>

namespace blink {

enum class Severity { worse, better, different };

/// What changed, in order of importance.
enum class Aspect {
  program, ///< gone or new
  rate,
  time,    ///< predicted, of a message size
  machine, ///< its name
  node,
  link,
  linkBandwidth,
  linkLatency,
  fingerprint,
  linkKinds,
  linksRate,
  bound,
  percentOfBound,
  variant, ///< gone or new
  sizes,   ///< where a variant ends and the next begins
  protocol,
  start,
  latency,
  depth,
  hops, ///< where depth is the same
  lanes,
  channels,
  trees,
  chunkBytes,
  steps,
  content, ///< of a program whose numbers are all the same
  classes, ///< of allocations that are alike
  order,   ///< of the programs in the file
  compiler,
  options,
  file, ///< its size and checksum
};

/// What a program is for: what tells the programs of a file apart.
struct ProgramKey {
  Collective collective;
  std::optional<int> root; ///< where the collective has one
  std::vector<int> gpus;
  std::vector<int> relays;

  static ProgramKey of(const sched::Program &program);
  static ProgramKey of(const Summary &summary);
  /// "broadcast from rank 2 on GPUs 1,4,5,6".
  std::string title() const;
  bool operator<(const ProgramKey &other) const { return tie() < other.tie(); }
  bool operator==(const ProgramKey &other) const {
    return tie() == other.tie();
  }

private:
  std::tuple<const Collective &, const std::optional<int> &,
             const std::vector<int> &, const std::vector<int> &>
  tie() const {
    return {collective, root, gpus, relays};
  }
};

/// Nothing, where the thing is gone or new or has no value.
using FindingValue =
    std::variant<std::monostate, uint64_t, double, std::string>;

struct Finding {
  Severity severity;
  Aspect aspect;
  std::string subject; ///< "allreduce on GPUs 0,1,2, below 64 KiB", "file"
  std::string words;   ///< "depth 2 -> 3"
  FindingValue before = {};
  FindingValue after = {};
  std::optional<ProgramKey> program = {}; ///< if it is about one
  /// If it is about a variant: where its sizes begin, in the file before unless
  /// it is new. If it is about a predicted time: the message's size.
  std::optional<uint64_t> minBytes = {};

  /// The change relative to the value before; 0 where they are no numbers.
  double change() const;
  /// Findings of one group are counted together when they are many.
  std::tuple<Severity, Aspect, int> group() const;
};

/// "worse"
llvm::StringRef toString(Severity severity);
/// The key of JSON reports: that of the same number in other reports, where
/// there is one ("algbw_gbps").
llvm::StringRef toString(Aspect aspect);

/// Most important first: worse, better, different; in each by aspect, then by
/// collective, then the largest change. What is equal stays in its order.
void sortFindings(std::vector<Finding> &findings);

/// "rate 89.440 -> 84.000 GB/s (-6.1 %)". As many `decimals` as asked for,
/// unless it takes more to tell the two apart. Both finite.
std::string formatChange(llvm::StringRef what, double before, double after,
                         int decimals, llvm::StringRef unit);

/// A fingerprint or checksum: "0x00000000000000ff".
std::string formatHash(uint64_t hash);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_FINDING_H
