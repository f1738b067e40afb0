//===- SumOne.h - the smallest call ------------------------------*- C++ -*-==//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_SUMONE_H
#define BLINK_TEST_CONFORMANCE_SUMONE_H

#include "runtime/blink.h"

namespace blink::test {

/// Runs an allreduce of one int32 on the host and ignores the value.
inline blinkResult_t sumOne(blinkComm_t comm) {
  int32_t in = 1, out = 0;
  return blinkAllReduce(&in, &out, 1, blinkInt32, blinkSum, comm, nullptr);
}

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_SUMONE_H
