//===- MachineTypes.h - the shipped machine types ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The files of topologies/, embedded when the compiler is built, so that
// `dgx-h100` means the same machine wherever blinkc runs.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_MACHINES_MACHINETYPES_H
#define BLINK_COMPILER_MACHINES_MACHINETYPES_H

#include "compiler/topology/Topology.h"

#include "llvm/ADT/ArrayRef.h"

namespace blink {

/// A shipped machine type. Its strings live as long as the program.
struct MachineType {
  llvm::StringLiteral name;        ///< The name of its file without extension.
  llvm::StringLiteral description; ///< One line for people.
  llvm::StringLiteral text;        ///< The whole .topo file.

  /// Returns the graph that `text` describes; each call parses it again.
  Topology topology() const;
};

/// Returns all machine types by name, ascending.
llvm::ArrayRef<MachineType> machineTypes();

/// Returns the machine type of that name, or null.
const MachineType *findMachineType(llvm::StringRef name);

/// Returns a few machine types that `word` may mean: first those with the word
/// in their name ("h100": "dgx-h100") or description ("aws-p5": "dgx-h100"),
/// then those whose name is a typing error away.
std::vector<llvm::StringRef> machineTypesLike(llvm::StringRef word);

} // namespace blink

#endif // BLINK_COMPILER_MACHINES_MACHINETYPES_H
