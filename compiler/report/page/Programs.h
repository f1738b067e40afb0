//===- Programs.h - programs as a page shows them ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_PAGE_PROGRAMS_H
#define BLINK_COMPILER_REPORT_PAGE_PROGRAMS_H

#include "compiler/report/page/PageData.h"

namespace blink {

/// Returns a machine with what recognize() finds out about it.
PageMachine pageMachine(const Topology &topology);

/// How much of a program is shown.
struct PageDetail {
  bool replay = true;
  bool allVariants = true; ///< false: only the last has its trees
};

/// Returns `program` of `file` as a page shows it, except for
/// PageProgram::machine. Errors: those of tryMoreLinks.
llvm::Expected<PageProgram> pageProgram(const sched::Schedule &file,
                                        const sched::Program &program,
                                        const PageDetail &detail,
                                        const WorkWatcher &watcher);

/// Returns the bound of `problem` as a page shows it.
llvm::Expected<PageProgram> pageBound(const PackingProblem &problem,
                                      const WorkWatcher &watcher);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_PAGE_PROGRAMS_H
