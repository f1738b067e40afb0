//===- PictureText.h - pictures for people and programs ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_PICTURETEXT_H
#define BLINK_RUNTIME_FLIGHT_PICTURETEXT_H

#include "runtime/flight/Diagnosis.h"

namespace blink::runtime {

/// Returns a line for each rank, which ranks wait for which and for how long,
/// and the culprit. This is what blink-top shows.
std::string toText(const JobPicture &job, const Diagnosis &found);

/// Returns briefly for whom ranks in calls wait: "ranks 0,1 wait for rank 2";
/// "" if no rank waits.
std::string describeWaits(const JobPicture &job);

/// Returns the picture as a JSON object, as described in docs/hangs.md, without
/// a line break. `history`: includes calls that have ended.
std::string toJson(const JobPicture &job, const Diagnosis &found, bool history);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_PICTURETEXT_H
