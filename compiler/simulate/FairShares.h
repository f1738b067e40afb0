//===- FairShares.h - links that share themselves fairly --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SIMULATE_FAIRSHARES_H
#define BLINK_COMPILER_SIMULATE_FAIRSHARES_H

#include "compiler/plan/FoldProgram.h"

#include <cstdint>
#include <vector>

namespace blink {

/// Transfers over the links of a program, at most one a channel. Links are
/// divided max-min fairly (Bertsekas and Gallager, "Data Networks", 1992,
/// section 6.5.2): no transfer could be faster without slowing one down that is
/// no faster itself. Times are microseconds, sizes bytes.
class FairShares {
public:
  explicit FairShares(const FoldProgram &program);

  /// From `now` on, channel `channel` transfers so many bytes.
  void start(uint32_t channel, double bytes, double now);
  /// When the next transfer ends if none begins before; infinite if there is
  /// none.
  double nextEnd();
  /// Takes out the channels whose transfers have ended by `now`, which is at
  /// most nextEnd(). Ascending.
  std::vector<uint32_t> finish(double now);

private:
  struct Transfer {
    uint32_t channel;
    double left; ///< bytes, at settled_
    double rate; ///< bytes a microsecond
  };
  void settle(double now);
  /// Progressive filling: the link that has least for each of its transfers
  /// sets their rates, and the others share what is left.
  void divide();

  const FoldProgram &program_;
  std::vector<Transfer> transfers_;
  double settled_ = 0;
  double nextEnd_ = 0;
  bool divided_ = false;
  // Of divide(), by link; kept for their memory.
  std::vector<double> free_;
  std::vector<uint32_t> open_;              ///< transfers without a rate
  std::vector<uint32_t> used_;              ///< links that have some
  std::vector<std::vector<uint32_t>> over_; ///< transfers, by link
};

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_FAIRSHARES_H
