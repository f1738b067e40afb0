//===- Case.h - a collective with its arguments -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_CASE_H
#define BLINK_TEST_CONFORMANCE_CASE_H

#include "runtime/blink.h"
#include "schedules/ScheduleFile.h"

#include <string>
#include <vector>

namespace blink::test {

using sched::Collective;

/// Whether this program tests the CUDA back end, on real or emulated GPUs.
#if BLINK_TEST_CUDA
inline constexpr bool kOnCuda = true;
#else
inline constexpr bool kOnCuda = false;
#endif

/// Returns all collectives, including messages.
std::vector<Collective> collectives();

/// Whether the collective uses the operator.
bool reduces(Collective collective);

/// A collective with its arguments, which all ranks of a job run. The result is
/// compared with the expected one.
struct Case {
  Collective collective = Collective::allreduce;
  blinkDataType_t type = blinkFloat32;
  blinkRedOp_t op = blinkSum;
  size_t count = 0;
  int root = 0;
  bool inPlace = false;
  bool misaligned = false; ///< by one element from an aligned address
  bool threads = false;    ///< one thread per rank instead of one group

  std::string describe() const;
};

/// Calls the collective of a case with these buffers.
blinkResult_t call(const Case &c, const void *send, void *recv,
                   blinkComm_t comm, blinkStream_t stream = nullptr);

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_CASE_H
