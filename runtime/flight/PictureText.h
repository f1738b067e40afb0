//===- PictureText.h - pictures for people and programs ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_PICTURETEXT_H
#define BLINK_RUNTIME_FLIGHT_PICTURETEXT_H

#include "runtime/flight/Diagnosis.h"

namespace blink::runtime {

/// A line for each rank, who waits for whom and for how long, and the culprit:
/// what blink-top shows.
std::string toText(const JobPicture &job, const Diagnosis &found);

/// For whom those in calls wait, in a few words: "ranks 0,1 wait for rank 2";
/// "" if nobody waits.
std::string describeWaits(const JobPicture &job);

/// The picture as JSON, an object as docs/hangs.md says, without a line break.
/// `history`: with the calls that have ended.
std::string toJson(const JobPicture &job, const Diagnosis &found, bool history);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_PICTURETEXT_H
