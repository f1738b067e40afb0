//===- PictureReader.h - pictures of jobs from their files ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Only files are read; no process has to answer. A process that hangs, is
// stopped or is dead is read like one that runs.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_PICTUREREADER_H
#define BLINK_RUNTIME_FLIGHT_PICTUREREADER_H

#include "runtime/flight/FlightFile.h"
#include "runtime/flight/Picture.h"

namespace blink::runtime {

/// Returns all jobs of this user that have files on this machine, in the order
/// of the names of their first files. Unusable files are skipped.
std::vector<JobPicture> readJobs();

/// Returns the job of a communicator: from its own memory, and from the files
/// of the job's other processes on this machine.
JobPicture readJob(const FlightFile &own);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_PICTUREREADER_H
