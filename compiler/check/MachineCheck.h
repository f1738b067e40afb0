//===- MachineCheck.h - checks against golden summaries ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Finds the machine types of a folder and checks each: compiles its bundle,
// proves it, and compares it with the golden summary.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_CHECK_MACHINECHECK_H
#define BLINK_COMPILER_CHECK_MACHINECHECK_H

#include "compiler/check/GoldenDiff.h"
#include "compiler/driver/ProveBundle.h"

namespace blink {

/// The folders of a check, and its options.
struct CheckFolders {
  std::string golden;            ///< The folder of NAME.golden.json.
  std::string topologies;        ///< The folder of NAME.topo.
  std::vector<std::string> only; ///< Names; empty: all.
  /// Write golden summaries anew; a summary that cannot be read counts as
  /// missing.
  bool update = false;
  /// With `update`: the allocations from now on, in the form of
  /// parseAllocations; empty: as before.
  std::string allocations;
};

/// A machine type to be checked.
struct MachineFiles {
  std::string name; ///< The name of its files, without extension.
  std::string topologyPath;
  std::string goldenPath;
  Topology topology;
  std::string goldenText;             ///< The text of the file; empty if none.
  std::optional<Golden> golden;       ///< std::nullopt: the machine is new.
  std::string allocations;            ///< What to compile for.
  std::vector<std::vector<int>> sets; ///< `allocations` as sets of GPUs.
};

/// Returns the allocations of a new machine type: all if there are at most 1000
/// (up to 9 GPUs); otherwise all of the smallest sizes that have no more than
/// that together, and the whole machine.
std::string defaultAllocations(int numGpus);

/// Returns all machines of the folders, by name. Errors, all of them together:
/// a folder that cannot be read or holds no topology, an invalid topology or
/// golden summary, a golden summary without a topology, allocations that the
/// machine does not have, an unknown name in `only`.
llvm::Expected<std::vector<MachineFiles>>
findMachines(const CheckFolders &folders);

/// The verdicts in order of importance.
enum class Verdict { wrong, worse, isNew, better, different, good };
llvm::StringRef toString(Verdict verdict);

struct MachineResult {
  std::string name;
  /// Why the bundle could not be compiled or proved.
  std::vector<std::string> problems;
  std::vector<Finding> findings; ///< Most important first.
  bool isNew = false;            ///< There was no golden summary.
  Golden now;                    ///< Empty if it could not be compiled.
  std::vector<uint8_t> bundle;   ///< Empty if it is wrong.
  double worstRatio = 1;         ///< The least rate / bound of a program.
  std::string worst;             ///< That program: "allreduce on GPUs 0,1".
  double seconds = 0;            ///< Filled in by the caller.

  Verdict verdict() const;
  /// Returns true if the check succeeds: nothing is wrong, and nothing is worse
  /// unless `update` replaces the golden summary anyway.
  bool passes(bool update) const;
  size_t count(Severity severity) const;
};

/// Checks one machine. `jobs` is as in BundleOptions. The watcher is called
/// during compiling and then, from 0 again, during proving.
MachineResult checkMachine(const MachineFiles &files,
                           const CheckTolerance &tolerance, unsigned jobs,
                           BundleWatcher watcher);

} // namespace blink

#endif // BLINK_COMPILER_CHECK_MACHINECHECK_H
