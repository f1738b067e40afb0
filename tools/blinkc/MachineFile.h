//===- MachineFile.h - a topology that was found out ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKC_MACHINEFILE_H
#define BLINK_TOOLS_BLINKC_MACHINEFILE_H

#include "compiler/import/Import.h"

namespace blink {

/// Writes the topology of an imported or probed machine to `path` (empty: not
/// at all). `origin` is
/// the first line of its comment; guesses, warnings and the machine type that
/// it is follow. Warnings and the type go to standard error, too, as of
/// `where`.
llvm::Error writeMachine(const ImportedMachine &machine,
                         const std::string &origin, const std::string &where,
                         const std::string &path);

/// How fast an allreduce on all of a machine can be, GB/s.
llvm::Expected<double> allreduceBound(Topology machine);

} // namespace blink

#endif // BLINK_TOOLS_BLINKC_MACHINEFILE_H
