//===- SymmetricForm.h - full schedules in symmetric form -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_SYMMETRICFORM_H
#define BLINK_SCHEDULES_SYMMETRICFORM_H

#include "schedules/ScheduleFile.h"
#include "schedules/SymmetryGroup.h"
#include "schedules/VariantParts.h"

#include <optional>

namespace blink::sched {

/// Returns `full` in symmetric form if every rank's program is the image of its
/// representative's: expanding the result (ExpandSchedule.h) gives `full`, byte
/// by byte. Otherwise returns std::nullopt and describes in `why` what is no
/// image.
std::optional<VariantParts> symmetricForm(const VariantParts &full,
                                          const SymmetryGroup &group,
                                          Collective collective,
                                          std::string &why);

/// A file in symmetric form as far as possible.
struct SymmetricFile {
  std::vector<uint8_t> bytes;
  /// For each program, why variants remain in full: "variants[1].trees[3]:
  /// ...".
  std::vector<std::vector<std::string>> inFull;
};

/// Returns `file`, which openAnySchedule has accepted, with each program
/// reduced by its entry in `symmetries` (none: no symmetry). Variants that are
/// symmetric already stay so. expandSchedule gives the same for the result as
/// for `file`. Errors, as a sentence in `error`: renamings that are no
/// symmetry, or that differ from those a program already has.
std::optional<SymmetricFile>
symmetricFile(const Schedule &file,
              const std::vector<std::vector<Renaming>> &symmetries,
              std::string &error);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_SYMMETRICFORM_H
