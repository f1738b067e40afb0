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

/// `full` in symmetric form, if what every rank does is the image of what its
/// representative does: what comes back expands (ExpandSchedule.h) to `full`,
/// byte by byte. Nothing otherwise, with what is no image in `why`.
std::optional<VariantParts> symmetricForm(const VariantParts &full,
                                          const SymmetryGroup &group,
                                          Collective collective,
                                          std::string &why);

/// A file in symmetric form, as far as it has one.
struct SymmetricFile {
  std::vector<uint8_t> bytes;
  /// Of each program, why variants stay in full: "variants[1].trees[3]: ...".
  std::vector<std::vector<std::string>> inFull;
};

/// `file`, which openAnySchedule has accepted, its programs modulo
/// `symmetries`, one a program, where none is no symmetry; variants that are
/// symmetric stay so. What expandSchedule makes of it is what it makes of
/// `file`. Errors, a sentence in `error`: renamings that are no symmetry, or
/// not those that a program has already.
std::optional<SymmetricFile>
symmetricFile(const Schedule &file,
              const std::vector<std::vector<Renaming>> &symmetries,
              std::string &error);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_SYMMETRICFORM_H
