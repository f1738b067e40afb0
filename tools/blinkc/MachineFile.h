//===- MachineFile.h - a topology that was found out ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKC_MACHINEFILE_H
#define BLINK_TOOLS_BLINKC_MACHINEFILE_H

#include "compiler/import/Import.h"
#include "compiler/probe/measure/Measure.h"

namespace blink {

/// Writes the topology of an imported or probed machine to `path` (empty: not
/// at all), with the rates of `measurement` if that is not null. `origin` is
/// the first line of its comment; guesses, warnings, the machine type that it
/// is by its nominal rates, and what was measured follow. Warnings and the type
/// go to standard error, too, as of `where`.
llvm::Error writeMachine(const ImportedMachine &machine,
                         const std::string &origin, const std::string &where,
                         const std::string &path,
                         const Measurement *measurement = nullptr);

/// How fast an allreduce on all of a machine can be, GB/s.
llvm::Expected<double> allreduceBound(Topology machine);

} // namespace blink

#endif // BLINK_TOOLS_BLINKC_MACHINEFILE_H
