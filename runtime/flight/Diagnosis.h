//===- Diagnosis.h - who keeps a job waiting --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A judgement of a picture and of nothing else, however it was got.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_DIAGNOSIS_H
#define BLINK_RUNTIME_FLIGHT_DIAGNOSIS_H

#include "runtime/flight/Picture.h"

namespace blink::runtime {

enum class Cause : uint8_t {
  none,    ///< nobody waits, or has failed
  died,    ///< the process of the culprits
  stopped, ///< likewise
  differs, ///< the culprits' calls are others than those of most ranks
  behind,  ///< the culprits have not made a call that others are in
  extra,   ///< the culprit is in a call that no other rank has made
  busy,    ///< the culprits are in the call, and wait for nobody
  queued,  ///< the culprits have launched a call that others are in, and their
           ///< GPUs have not begun it
  unseen,  ///< the culprits are waited for, and not to be seen from here
  circle,  ///< the culprits wait for each other
};
const char *nameOf(Cause cause);

struct Diagnosis {
  Cause cause = Cause::none;
  std::vector<int> culprits; ///< ranks, ascending; where calls differ and
                             ///< nobody is in the minority, of both sides
  std::string sentence;      ///< "" if nobody waits
};

/// In this order: who is dead or stopped keeps all others waiting; calls of one
/// number that differ; ranks that have made fewer calls; and where all are in
/// the same call, whoever is at the end of the way from those that wait to
/// those they wait for.
Diagnosis diagnose(const JobPicture &job);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_DIAGNOSIS_H
