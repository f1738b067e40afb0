//===- Diagnosis.h - which ranks keep a job waiting -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Judges a picture, and nothing else, wherever the picture comes from.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_DIAGNOSIS_H
#define BLINK_RUNTIME_FLIGHT_DIAGNOSIS_H

#include "runtime/flight/Picture.h"

namespace blink::runtime {

enum class Cause : uint8_t {
  none,    ///< no rank waits, or has failed
  died,    ///< the culprits' processes have died
  stopped, ///< the culprits' processes are stopped
  differs, ///< the culprits' calls differ from those of most ranks
  behind,  ///< the culprits have not made a call that others are in
  extra,   ///< the culprit is in a call that no other rank has made
  busy,    ///< the culprits are in the call, and wait for no rank
  queued,  ///< the culprits have launched a call that others are in, but their
           ///< GPUs have not begun it
  unseen,  ///< the culprits are waited for, and cannot be seen from here
  circle,  ///< the culprits wait for each other
};
const char *nameOf(Cause cause);

struct Diagnosis {
  Cause cause = Cause::none;
  std::vector<int> culprits; ///< ranks, ascending; if calls differ and neither
                             ///< side is in the minority, the ranks of both
  std::string sentence;      ///< "" if no rank waits
};

/// Looks for causes in this order: a rank that is dead or stopped, which keeps
/// all others waiting; calls with the same number that differ; ranks that have
/// made fewer calls. If all ranks are in the same call, follows the waits from
/// a rank that waits to the rank for which it waits, and so on to the end.
Diagnosis diagnose(const JobPicture &job);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_DIAGNOSIS_H
