//===- MachineFile.h - writes imported and probed topologies ----*- C++ -*-===//
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
/// at all), with the rates of `measurement` unless that is null. `origin` is
/// the first line of the file's comment. Guesses, warnings, the machine type
/// that matches the nominal rates, and the measurements follow. Warnings and
/// the type also go to standard error, with `where` as their place.
llvm::Error writeMachine(const ImportedMachine &machine,
                         const std::string &origin, const std::string &where,
                         const std::string &path,
                         const Measurement *measurement = nullptr);

/// Returns the rate of an allreduce on all of a machine, at most, in GB/s.
llvm::Expected<double> allreduceBound(Topology machine);

} // namespace blink

#endif // BLINK_TOOLS_BLINKC_MACHINEFILE_H
