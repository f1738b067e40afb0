//===- Table.h - results as tables ------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The columns of nccl-tests, so that programs that parse its tables can parse
// these, and one more: the percentage of the certificate's bound.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_TABLE_H
#define BLINK_TOOLS_BLINKPERF_TABLE_H

#include "tools/blink-perf/Cases.h"

namespace blink::perf {

/// One half of a row.
struct Measure {
  double seconds;
  uint64_t wrong;
  double cpuSeconds = 0; ///< over all ranks; 0: not measured

  double algbw(const Case &c) const;
  double busbw(const Case &c) const { return algbw(c) * c.busFactor(); }
};

/// A row of a table.
struct Row {
  Case c;
  Measure out, in; ///< `in` is zero if the collective has no in-place form

  double percentOfBound() const { return 100 * out.algbw(c) / c.bound; }
};

/// All measurements, and how they ended.
struct Summary {
  std::vector<Row> rows;
  std::string error; ///< not empty: the run failed after these rows

  double seconds = 0;     ///< of the whole run
  double joinSeconds = 0; ///< as in RunEnd

  uint64_t wrong() const;
  double averageBusbw() const;
  /// In a self-test: channels that carried data in any row.
  uint64_t carryingChannels() const;
  bool ok() const { return error.empty() && wrong() == 0; }
};

void printTitle(const Options &options, const Plan &plan);
void printHeader(const Options &options, const Plan &plan,
                 const Section &section);
void printRow(const Options &options, const Row &row);
void printSummary(const Options &options, const Plan &plan,
                  const Summary &summary);

const char *nameOf(blinkBackend_t backend);
/// "64K".
std::string formatSize(uint64_t bytes);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_TABLE_H
