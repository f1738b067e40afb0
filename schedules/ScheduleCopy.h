//===- ScheduleCopy.h - a file once more, with other variants ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_SCHEDULECOPY_H
#define BLINK_SCHEDULES_SCHEDULECOPY_H

#include "schedules/SymmetryGroup.h"
#include "schedules/VariantParts.h"

namespace blink::sched {

/// What takes the place of a program's own.
struct ProgramParts {
  std::vector<Renaming> symmetry; ///< empty: none
  std::vector<VariantParts> variants;
};

/// What a program says of its symmetry; nothing of none.
flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<SymmetryGenerator>>>
writeRenamings(flatbuffers::FlatBufferBuilder &builder,
               const std::vector<Renaming> &renamings);

/// The bytes of a file like `file`, sealed, whose programs have what `programs`
/// says. The same parts make the same bytes, also where a file was written by
/// the compiler (ExportSchedule.h).
std::vector<uint8_t> copySchedule(const Schedule &file,
                                  const std::vector<ProgramParts> &programs);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_SCHEDULECOPY_H
