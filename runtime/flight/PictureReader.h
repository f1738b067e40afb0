//===- PictureReader.h - pictures of jobs from their files ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Nobody is asked: a process that hangs, has been stopped or is dead is read
// like one that runs.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_PICTUREREADER_H
#define BLINK_RUNTIME_FLIGHT_PICTUREREADER_H

#include "runtime/flight/FlightFile.h"
#include "runtime/flight/Picture.h"

namespace blink::runtime {

/// All jobs of this user that have files here, in the order of the first one's
/// name. Files that say nothing of use are passed over.
std::vector<JobPicture> readJobs();

/// The job of a communicator: what its own memory says, and the files of the
/// job's other processes on this machine.
JobPicture readJob(const FlightFile &own);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_PICTUREREADER_H
