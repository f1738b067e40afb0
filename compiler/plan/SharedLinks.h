//===- SharedLinks.h - what channels share ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PLAN_SHAREDLINKS_H
#define BLINK_COMPILER_PLAN_SHAREDLINKS_H

#include "compiler/plan/FoldProgram.h"

namespace blink {

/// What the channels of a program share: links or, in symmetric form, orbits of
/// links. If all ranks of an orbit do the same at the same time, it suffices to
/// look at one of them: each channel stands for its images, and an orbit for
/// the bandwidth that its links together have for one image of each channel.
struct SharedLinks {
  /// `bandwidths` are those of the program's links, in any unit.
  SharedLinks(const FoldProgram &program, std::vector<double> bandwidths);

  std::vector<std::vector<uint32_t>> filled; ///< per channel, as filledLinks
  std::vector<double> bandwidths;

  /// Returns for each link of the topology the entry of `values` for what
  /// stands for it.
  std::vector<double> byLink(const std::vector<double> &values) const;

private:
  std::vector<uint32_t> indices_; ///< by link of the topology
};

} // namespace blink

#endif // BLINK_COMPILER_PLAN_SHAREDLINKS_H
