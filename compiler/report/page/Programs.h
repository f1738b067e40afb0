//===- Programs.h - programs as a page shows them ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_REPORT_PAGE_PROGRAMS_H
#define BLINK_COMPILER_REPORT_PAGE_PROGRAMS_H

#include "compiler/report/page/PageData.h"

namespace blink {

/// A machine with what recognize() says of it.
PageMachine pageMachine(const Topology &topology);

/// How much of a program is shown.
struct PageDetail {
  bool replay = true;
  bool allVariants = true; ///< else that for large messages has trees alone
};

/// `program` of `file`, but for PageProgram::machine. Errors: those of
/// tryMoreLinks.
llvm::Expected<PageProgram> pageProgram(const sched::Schedule &file,
                                        const sched::Program &program,
                                        const PageDetail &detail);

/// The same of a bound.
llvm::Expected<PageProgram> pageBound(const PackingProblem &problem);

} // namespace blink

#endif // BLINK_COMPILER_REPORT_PAGE_PROGRAMS_H
