//===- RenameProgram.h - renaming ranks and nodes of a program --*- C++ -*-===//
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

/// New names for the ranks, GPUs and nodes of a program.
struct Names {
  std::vector<uint16_t> ranks; ///< The new number of each rank.
  std::vector<uint16_t> gpus;  ///< The GPU number of each new rank.
  std::vector<uint16_t> nodes; ///< The image of each node, or kUnmapped.
};

/// Returns the bytes of a schedule that holds only `program` of `file` under
/// new names, recorded as made with `settings`. The schedule is for `machine`,
/// which has as many nodes as the file's machine and may have lost links. The
/// bytes have passed sched::openSchedule. Of the machine's links only their
/// ends and kinds are compared. Errors: another number of nodes; a needed link
/// whose image is no link of its kind; a program with relays.
llvm::Expected<std::vector<uint8_t>>
renameProgram(const sched::Schedule &file, const sched::Program &program,
              const Names &names, const Topology &machine,
              const sched::Settings &settings);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_RENAMEPROGRAM_H
