//===- MachineTypes.h - the machine types that are shipped ------*- C++ -*-===//
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

/// A shipped machine type. The strings live as long as the program.
struct MachineType {
  llvm::StringLiteral name;        ///< of its file, without ending: "dgx-h100"
  llvm::StringLiteral description; ///< a line for people
  llvm::StringLiteral text;        ///< the whole .topo file

  /// The graph that `text` describes, parsed anew by each call.
  Topology topology() const;
};

/// All of them, by name, ascending.
llvm::ArrayRef<MachineType> machineTypes();

/// The machine type of that name; null if there is none.
const MachineType *findMachineType(llvm::StringRef name);

/// Machine types that `word` may mean, a few at most: first those with the word
/// in their name ("h100": "dgx-h100") or description ("aws-p5": "dgx-h100"),
/// then those whose name is a slip of the pen away.
std::vector<llvm::StringRef> machineTypesLike(llvm::StringRef word);

} // namespace blink

#endif // BLINK_COMPILER_MACHINES_MACHINETYPES_H
