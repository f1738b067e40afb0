//===- RenameProgram.h - a program under other names ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_RENAMEPROGRAM_H
#define BLINK_COMPILER_TARGET_RENAMEPROGRAM_H

#include "compiler/topology/Topology.h"
#include "schedules/Provenance.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace blink {

/// Other names for what a program speaks of.
struct Names {
  std::vector<uint16_t> ranks; ///< of each rank its new number
  std::vector<uint16_t> gpus;  ///< of each new rank its GPU number
  std::vector<uint16_t> nodes; ///< of each node another, or sched::kUnmapped
};

/// The bytes of a schedule that holds `program` of `file` alone, under other
/// names, recorded as made with `settings`. It is for `machine`, which
/// has the nodes of the file's machine, and may have lost links. The bytes have
/// passed sched::openSchedule; what the machine's links are is not looked at
/// beyond their being there. Errors: another number of nodes; a link that is
/// carried to where none of its kind is; a program with relays.
llvm::Expected<std::vector<uint8_t>>
renameProgram(const sched::Schedule &file, const sched::Program &program,
              const Names &names, const Topology &machine,
              const sched::Settings &settings);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_RENAMEPROGRAM_H
