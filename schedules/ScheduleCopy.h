//===- ScheduleCopy.h - copies of files with other variants -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_SCHEDULECOPY_H
#define BLINK_SCHEDULES_SCHEDULECOPY_H

#include "schedules/SymmetryGroup.h"
#include "schedules/VariantParts.h"

namespace blink::sched {

/// The parts that replace those of a program.
struct ProgramParts {
  std::vector<Renaming> symmetry; ///< empty: none
  std::vector<VariantParts> variants;
};

/// Writes the symmetry of a program; returns a null offset if there is none.
flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<SymmetryGenerator>>>
writeRenamings(flatbuffers::FlatBufferBuilder &builder,
               const std::vector<Renaming> &renamings);

/// Returns the sealed bytes of a file like `file` with the parts in `programs`.
/// The same parts give the same bytes, also for a file that the compiler wrote
/// (ExportSchedule.h).
std::vector<uint8_t> copySchedule(const Schedule &file,
                                  const std::vector<ProgramParts> &programs);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_SCHEDULECOPY_H
