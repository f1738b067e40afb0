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

/// Whether this program tests the CUDA back end, on GPUs or emulated ones.
#if BLINK_TEST_CUDA
inline constexpr bool kOnCuda = true;
#else
inline constexpr bool kOnCuda = false;
#endif

/// All of them, messages among them.
std::vector<Collective> collectives();

/// Whether an operator matters.
bool reduces(Collective collective);

/// A collective with its arguments, to be run by all ranks of a job and
/// compared with the expected result.
struct Case {
  Collective collective = Collective::allreduce;
  blinkDataType_t type = blinkFloat32;
  blinkRedOp_t op = blinkSum;
  size_t count = 0;
  int root = 0;
  bool inPlace = false;
  bool misaligned = false; ///< by one element from an aligned address
  bool threads = false;    ///< a thread a rank, not one group

  std::string describe() const;
};

/// Calls the collective of a case with these buffers.
blinkResult_t call(const Case &c, const void *send, void *recv,
                   blinkComm_t comm, blinkStream_t stream = nullptr);

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_CASE_H
