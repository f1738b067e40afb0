//===- Readers.h - one reader a foreign format ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Each reader takes the text and fills an inventory; `fileName` is for error
// messages. Readers accept what their programs are known to write, in all its
// variants, and refuse, with a place, what they cannot interpret.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_IMPORT_READERS_H
#define BLINK_COMPILER_IMPORT_READERS_H

#include "compiler/import/Import.h"

namespace pugi {
class xml_node;
}

namespace blink {

class XmlDocument;

/// Reads the `<system>` of NCCL_TOPO_DUMP_FILE and NCCL_TOPO_FILE; RCCL's too.
llvm::Expected<Inventory> readNcclXml(const XmlDocument &document,
                                      const pugi::xml_node &system,
                                      const ImportOptions &options);
/// Reads the `<topology>` of `lstopo --of xml`, hwloc 2.
llvm::Expected<Inventory> readHwlocXml(const XmlDocument &document,
                                       const pugi::xml_node &topology,
                                       const ImportOptions &options);
/// Reads the matrix of `nvidia-smi topo -m`.
llvm::Expected<Inventory> readTopoMatrix(llvm::StringRef text,
                                         llvm::StringRef fileName,
                                         const ImportOptions &options);
/// Reads `nvidia-smi nvlink -R` (the devices at the other ends) or `-s`
/// (rates).
llvm::Expected<Inventory> readNvlinkReport(llvm::StringRef text,
                                           llvm::StringRef fileName,
                                           const ImportOptions &options);
/// Reads the tables of `rocm-smi --showtopo`.
llvm::Expected<Inventory> readRocmTables(llvm::StringRef text,
                                         llvm::StringRef fileName,
                                         const ImportOptions &options);

} // namespace blink

#endif // BLINK_COMPILER_IMPORT_READERS_H
