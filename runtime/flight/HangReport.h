//===- HangReport.h - a picture for an error --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_FLIGHT_HANGREPORT_H
#define BLINK_RUNTIME_FLIGHT_HANGREPORT_H

#include "runtime/flight/FlightFile.h"
#include "runtime/flight/PictureText.h"

#include <functional>

namespace blink::runtime {

/// What the back end knows of a rank that is not to be seen from here.
struct Hearsay {
  uint64_t collectives = 0; ///< that it has begun
  CallKind last;            ///< of the last one
};

/// What a job is at when a rank's time is up. Taken before the job fails, for
/// then all ranks leave their calls.
class HangReport {
public:
  explicit HangReport(const FlightFile &own,
                      const std::function<Hearsay(int rank)> &hear = {});

  /// For the end of an error's sentence: "; " and who is to blame, and who
  /// waits for whom.
  std::string sentence() const;
  /// Writes the picture with all calls that are kept to the folder that the
  /// environment's BLINK_HANG_DIR names, if it does, as
  /// blink-hang.JOB.rankRANK.json. Logs a warning if it cannot.
  void write(int rank) const;

private:
  JobPicture job_;
  Diagnosis found_;
};

/// Writes a file as a whole: what has its name is never half of it. Errors:
/// system error.
Status writeWhole(const std::string &path, const std::string &bytes);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_HANGREPORT_H
