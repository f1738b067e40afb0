//===- Import.h - topologies from other programs' files ---------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_IMPORT_IMPORT_H
#define BLINK_COMPILER_IMPORT_IMPORT_H

#include "compiler/import/Inventory.h"

namespace blink {

struct ImportOptions {
  /// The model of the GPUs, if a file does not state it. Null: guessed.
  const GpuModel *gpuModel = nullptr;
  RateSource rates = RateSource::nominal;
};

struct ImportedMachine {
  Topology topology;
  std::string source; ///< "NCCL topology XML"
  ImportNotes notes;
};

/// Reads another program's description of a machine. The content determines the
/// format: NCCL's topology XML (also RCCL's and cloud vendors'), hwloc's XML,
/// `nvidia-smi topo -m`, `nvidia-smi nvlink -R` and `-s`,
/// `rocm-smi --showtopo`, each possibly with a prompt, colours or other text
/// around it. hwloc's XML of a machine without a GPU yields a topology of cores
/// (HostGraph.h). `fileName` is for messages.
///
///   auto machine = importMachine(text, "dump.xml", {});
///
/// Errors: "FILE:LINE:COLUMN: error: ..." with a remedy.
llvm::Expected<ImportedMachine> importMachine(llvm::StringRef text,
                                              llvm::StringRef fileName,
                                              const ImportOptions &options);

} // namespace blink

#endif // BLINK_COMPILER_IMPORT_IMPORT_H
