//===- HangReport.h - a picture of a hang, for an error ---------*- C++ -*-===//
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

/// What the back end knows about a rank that cannot be seen from here.
struct Hearsay {
  uint64_t collectives = 0; ///< begun by the rank
  CallKind last;            ///< of the last one
};

/// What a job is doing when a rank's time is up. To be made before the job
/// fails, because all ranks leave their calls then.
class HangReport {
public:
  explicit HangReport(const FlightFile &own,
                      const std::function<Hearsay(int rank)> &hear = {});

  /// Returns text to append to an error's sentence: "; " and which rank is to
  /// blame, and which ranks wait for which.
  std::string sentence() const;
  /// Writes the picture, with all calls that are kept, to
  /// blink-hang.JOB.rankRANK.json in the folder named by BLINK_HANG_DIR of the
  /// environment, if that is set. Logs a warning if it cannot.
  void write(int rank) const;

private:
  JobPicture job_;
  Diagnosis found_;
};

/// Writes a file as a whole: a file of that name is never incomplete. Errors:
/// system error.
Status writeWhole(const std::string &path, const std::string &bytes);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_FLIGHT_HANGREPORT_H
