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
  leastChunkBytes,
  leastChunks,
  steps,
  content, ///< of a program whose numbers are all the same
  classes, ///< of allocations that are alike
  order,   ///< of the programs in the file
  compiler,
  options,
  file, ///< its size and checksum
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

size_t countOf(llvm::ArrayRef<Finding> findings, Severity severity);

/// What comparisons share: where they put what they find, and its words.
class Comparison {
protected:
  explicit Comparison(std::vector<Finding> &findings) : findings_(findings) {}

  /// About no program: only different.
  void add(Aspect aspect, std::string subject, std::string words,
           FindingValue before = {}, FindingValue after = {});
  /// The same, "WHAT BEFORE -> AFTER", if that is a change.
  void addChange(Aspect aspect, std::string subject, llvm::StringRef what,
                 const std::string &before, const std::string &after);
  void addOf(const ProgramKey &key, Severity severity, Aspect aspect,
             std::string words, FindingValue before = {},
             FindingValue after = {});

  std::vector<Finding> &findings_;
};

/// What a number that is another one now has become; only different where it
/// changed by no more than the `tolerance`, relative.
Severity severityOf(double before, double after, bool moreIsBetter,
                    double tolerance);

/// "depth 2 -> 3"
std::string formatCounts(llvm::StringRef what, int before, int after);

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
