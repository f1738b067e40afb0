//===- Finding.h - one thing that changed between schedules -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The findings of a comparison. All comparisons share their order and wording.
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

/// What changed, most important first.
enum class Aspect {
  program, ///< gone or new
  rate,
  time,    ///< predicted, for a message size
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
  hops, ///< reported only if the depth is the same
  lanes,
  channels,
  trees,
  chunkBytes,
  leastChunkBytes,
  leastChunks,
  steps,
  content, ///< of a program whose numbers all stayed the same
  classes, ///< of equivalent allocations
  order,   ///< of the programs in the file
  compiler,
  options,
  file, ///< size and checksum of the file
};

/// Holds std::monostate if the thing is gone, new or has no value.
using FindingValue =
    std::variant<std::monostate, uint64_t, double, std::string>;

struct Finding {
  Severity severity;
  Aspect aspect;
  std::string subject; ///< "allreduce on GPUs 0,1,2, below 64 KiB", "file"
  std::string words;   ///< "depth 2 -> 3"
  FindingValue before = {};
  FindingValue after = {};
  std::optional<ProgramKey> program = {}; ///< if the finding is about one
  /// If the finding is about a variant: the smallest size it serves, in the
  /// file before unless the variant is new. If the finding is about a predicted
  /// time: the message's size.
  std::optional<uint64_t> minBytes = {};

  /// Returns the change relative to the value before; 0 if the values are not
  /// numbers.
  double change() const;
  /// Returns the key of the finding's group: reports print only the first
  /// findings of a large group and count the rest.
  std::tuple<Severity, Aspect, int> group() const;
};

/// "worse"
llvm::StringRef toString(Severity severity);
/// Returns the aspect's key in JSON reports. A number that other reports have
/// too goes by the same key there ("algbw_gbps").
llvm::StringRef toString(Aspect aspect);

size_t countOf(llvm::ArrayRef<Finding> findings, Severity severity);

/// Base class of comparisons: holds the list that they append to, and the
/// functions that word a finding.
class Comparison {
protected:
  explicit Comparison(std::vector<Finding> &findings) : findings_(findings) {}

  /// Adds a finding about no program; its severity is `different`.
  void add(Aspect aspect, std::string subject, std::string words,
           FindingValue before = {}, FindingValue after = {});
  /// Adds the finding "WHAT BEFORE -> AFTER" unless the two values are equal.
  void addChange(Aspect aspect, std::string subject, llvm::StringRef what,
                 const std::string &before, const std::string &after);
  void addOf(const ProgramKey &key, Severity severity, Aspect aspect,
             std::string words, FindingValue before = {},
             FindingValue after = {});

  std::vector<Finding> &findings_;
};

/// Returns the severity of a changed number. It is `different` if the number
/// changed by no more than `tolerance`, relative to `before`.
Severity severityOf(double before, double after, bool moreIsBetter,
                    double tolerance);

/// "depth 2 -> 3"
std::string formatCounts(llvm::StringRef what, int before, int after);

/// Sorts the most important first: worse, better, different; within a severity
/// by aspect, then by collective, then the largest change. The sort is stable.
void sortFindings(std::vector<Finding> &findings);

/// "rate 89.440 -> 84.000 GB/s (-6.1 %)". Prints `decimals` decimals, or more
/// if that few do not tell the two numbers apart. Both are finite.
std::string formatChange(llvm::StringRef what, double before, double after,
                         int decimals, llvm::StringRef unit);

/// A fingerprint or checksum: "0x00000000000000ff".
std::string formatHash(uint64_t hash);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_FINDING_H
