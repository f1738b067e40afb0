//===- ImportFuzzer.cpp - any bytes as other programs' output -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Covers NCCL's and hwloc's XML, and the text of nvidia-smi and rocm-smi.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/Import.h"
#include "compiler/topology/TopologyReader.h"
#include "compiler/topology/TopologyWriter.h"
#include "test/fuzz/FuzzTarget.h"

using namespace blink;
using test::require;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::Expected<ImportedMachine> machine =
      importMachine(test::textOfInput(data, size), "input", {});
  if (!machine) {
    const std::string error = llvm::toString(machine.takeError());
    require(error.rfind("input:", 0) == 0, "an error names its place");
    return 0;
  }
  if (llvm::Error error = machine->topology.check())
    require(false, llvm::toString(std::move(error)).c_str());
  llvm::Expected<Topology> again =
      parseTopology(writeTopology(machine->topology, ""), "again.topo");
  require(bool(again), "what was written is read");
  return 0;
}
