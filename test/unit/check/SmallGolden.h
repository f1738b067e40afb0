//===- SmallGolden.h - a golden summary for tests ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_CHECK_SMALLGOLDEN_H
#define BLINK_TEST_UNIT_CHECK_SMALLGOLDEN_H

#include "compiler/check/Golden.h"

#include <limits>

namespace blink::test {

/// Returns a summary of three classes: one GPU, two GPUs with a rooted
/// collective, and two GPUs that no path joins.
inline Golden smallGolden() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Golden golden;
  golden.machine = "box \"1\"";
  golden.fingerprint = 0xb4ed68ee353a501eull;
  golden.allocations = "1-2";
  golden.compiler = "blinkc 0.1.0";
  golden.bundleBytes = 12345;
  golden.bundleHash = std::string(64, 'a');
  golden.classes = {
      {{0},
       4,
       {{Collective::allreduce,
         std::nullopt,
         kInfinity,
         kInfinity,
         kInfinity,
         0,
         1,
         {0, 0, 0}}}},
      {{0, 1},
       5,
       {{Collective::allreduce,
         std::nullopt,
         89.4404,
         89.4404,
         90.2143,
         2,
         14,
         {3.28192, 39.8958, 32669.3}},
        {Collective::broadcast, 1, 50, 50, 50, 1, 2, {1.2, 30, 20000}}}},
      {{0, 2}, 1, {}}};
  return golden;
}

} // namespace blink::test

#endif // BLINK_TEST_UNIT_CHECK_SMALLGOLDEN_H
