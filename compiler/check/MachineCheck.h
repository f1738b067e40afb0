//===- MachineCheck.h - is a machine's bundle as it was? --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Finds the machine types of a folder and checks one after the other: compiles
// its bundle, proves it, compares it with the golden summary.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_CHECK_MACHINECHECK_H
#define BLINK_COMPILER_CHECK_MACHINECHECK_H

#include "compiler/check/GoldenDiff.h"
#include "compiler/driver/ProveBundle.h"

namespace blink {

/// Where to look, and for what.
struct CheckFolders {
  std::string golden;            ///< of NAME.golden.json
  std::string topologies;        ///< of NAME.topo
  std::vector<std::string> only; ///< names; empty: all
  /// Golden summaries are to be written anew: one that cannot be read is taken
  /// for none.
  bool update = false;
  /// With `update`: the allocations from now on, as parseAllocations reads
  /// them; empty: as before.
  std::string allocations;
};

/// A machine type to be checked.
struct MachineFiles {
  std::string name; ///< of its files, without extension
  std::string topologyPath;
  std::string goldenPath;
  Topology topology;
  std::string goldenText;             ///< as it is; empty if there is none
  std::optional<Golden> golden;       ///< none: the machine is new
  std::string allocations;            ///< what to compile for
  std::vector<std::vector<int>> sets; ///< the same as sets of GPUs
};

/// What a new machine type is compiled for: all allocations if they are 1000 at
/// most (9 GPUs), else as many small sizes as make no more, and the whole
/// machine.
std::string defaultAllocations(int numGpus);

/// All machines of the folders, by name. Errors, as many as there are: a folder
/// that cannot be read or holds no topology, a topology or a golden summary
/// that is not right, one without the other's topology, allocations that the
/// machine does not have, an unknown name in `only`.
llvm::Expected<std::vector<MachineFiles>>
findMachines(const CheckFolders &folders);

/// In the order of importance.
enum class Verdict { wrong, worse, isNew, better, different, good };
llvm::StringRef toString(Verdict verdict);

struct MachineResult {
  std::string name;
  /// Why the bundle is wrong: it could not be compiled or proved.
  std::vector<std::string> problems;
  std::vector<Finding> findings; ///< most important first
  bool isNew = false;            ///< there was no golden summary
  Golden now;                    ///< nothing, if it could not be compiled
  std::vector<uint8_t> bundle;   ///< nothing, if it is wrong
  double worstRatio = 1;         ///< least rate / bound of a program
  std::string worst;             ///< of which: "allreduce on GPUs 0,1"
  double seconds = 0;            ///< filled in by the caller

  Verdict verdict() const;
  /// Whether a check succeeds: nothing is wrong, and nothing worse unless the
  /// golden summary is to be as it is now, anyway.
  bool passes(bool update) const;
  size_t count(Severity severity) const;
};

/// Checks one machine. `jobs` as in BundleOptions; the watcher is told of
/// compiling and then, from 0 again, of proving.
MachineResult checkMachine(const MachineFiles &files,
                           const CheckTolerance &tolerance, unsigned jobs,
                           BundleWatcher watcher);

} // namespace blink

#endif // BLINK_COMPILER_CHECK_MACHINECHECK_H
