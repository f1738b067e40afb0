//===- TopologyReader.h - reading .topo files -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The .topo format is JSON with // comments; topologies/topology.schema.json
// describes it for editors.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_TOPOLOGYREADER_H
#define BLINK_COMPILER_TOPOLOGY_TOPOLOGYREADER_H

#include "compiler/topology/Topology.h"

namespace blink {

/// Parses the text of a .topo file. Every error reads `fileName:line:column:
/// error: what, and what was expected`; line and column are those of the
/// offending token. A topology without a name is named after `fileName`,
/// without folder and extension.
llvm::Expected<Topology> parseTopology(llvm::StringRef text,
                                       llvm::StringRef fileName);

/// Reads and parses a file; `-` is standard input.
llvm::Expected<Topology> readTopologyFile(llvm::StringRef path);

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_TOPOLOGYREADER_H
