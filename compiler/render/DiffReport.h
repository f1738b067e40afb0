//===- DiffReport.h - reports on changes between files ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_RENDER_DIFFREPORT_H
#define BLINK_COMPILER_RENDER_DIFFREPORT_H

#include "compiler/report/ScheduleDiff.h"

namespace blink {

/// "2 worse, 1 better, 5 different", "identical", "same machine and programs".
std::string toVerdict(const ScheduleDiff &diff);

/// What `blinkc diff` reports about two files.
struct ComparedFiles {
  struct File {
    std::string path;
    OpenedFile opened;
  };

  File before, after;
  ScheduleDiff diff;
};
std::string toText(const ComparedFiles &files);
std::string toJson(const ComparedFiles &files);

} // namespace blink

#endif // BLINK_COMPILER_RENDER_DIFFREPORT_H
