//===- PlainNotes.h - what no format can express ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_EXPORT_PLAINNOTES_H
#define BLINK_COMPILER_EXPORT_PLAINNOTES_H

#include "schedules/schedule_generated.h"

#include <string>
#include <vector>

namespace blink {

/// Returns notes, as of ExportedFile, on properties of `program` that none of
/// the formats for schedules has.
std::vector<std::string> plainNotes(const sched::Program &program);

} // namespace blink

#endif // BLINK_COMPILER_EXPORT_PLAINNOTES_H
