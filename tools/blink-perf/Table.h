//===- Table.h - results as tables ------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// nccl-tests' columns, so that what reads those reads these, and one more: the
// per cent of what the certificate allows.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_TABLE_H
#define BLINK_TOOLS_BLINKPERF_TABLE_H

#include "tools/blink-perf/Cases.h"

namespace blink::perf {

/// One half of a line.
struct Measure {
  double seconds;
  uint64_t wrong;
  double cpuSeconds = 0; ///< of all ranks; 0: not measured

  double algbw(const Case &c) const;
  double busbw(const Case &c) const { return algbw(c) * c.busFactor(); }
};

/// A line.
struct Row {
  Case c;
  Measure out, in; ///< `in` is nothing where there is no in place

  double percentOfBound() const { return 100 * out.algbw(c) / c.bound; }
};

/// All that was measured, and how it ended.
struct Summary {
  std::vector<Row> rows;
  std::string error; ///< not empty: the run failed after these rows

  double seconds = 0;     ///< from the begin to the end of the run
  double joinSeconds = 0; ///< as of RunEnd

  uint64_t wrong() const;
  double averageBusbw() const;
  /// Of a self-test: in any row.
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
