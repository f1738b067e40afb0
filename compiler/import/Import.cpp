//===- Import.cpp - topologies from other programs' files -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Recognizes the formats and passes the text to their readers.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/Import.h"

#include "compiler/import/HostGraph.h"
#include "compiler/import/MachineGraph.h"
#include "compiler/import/Readers.h"
#include "compiler/import/TerminalText.h"
#include "compiler/import/XmlDocument.h"
#include "compiler/support/Error.h"
#include "compiler/topology/Names.h"

#include "llvm/Support/Path.h"

using namespace blink;

static constexpr llvm::StringLiteral kKnown =
    "NCCL topology XML, hwloc XML (lstopo --of xml), nvidia-smi topo -m, "
    "nvidia-smi nvlink -R or -s, rocm-smi --showtopo";

static llvm::Expected<Inventory> readXml(llvm::StringRef text,
                                         llvm::StringRef fileName,
                                         const ImportOptions &options) {
  auto document = XmlDocument::parse(text, fileName);
  if (!document)
    return document.takeError();
  pugi::xml_node root = (*document)->root();
  llvm::StringRef name = root.name();
  if (name == "system")
    return readNcclXml(**document, root, options);
  if (name == "topology")
    return readHwlocXml(**document, root, options);
  if (name == "graphs")
    return (*document)->error(
        root, "this is NCCL's graph file, which has rings and trees; "
              "NCCL_TOPO_DUMP_FILE writes the machine");
  return (*document)->error(root, "<" + name +
                                      "> is not a known kind of topology; "
                                      "expected one of: " +
                                      kKnown);
}

static llvm::Expected<Inventory> readAny(llvm::StringRef text,
                                         llvm::StringRef fileName,
                                         const ImportOptions &options) {
  text.consume_front("\xef\xbb\xbf"); // a byte order mark
  llvm::StringRef start = text.ltrim();
  if (start.starts_with("<"))
    return readXml(text, fileName, options);
  if (text.contains('\0'))
    return errorAt(fileName, {}, "a binary file; expected one of: " + kKnown);
  if (start.starts_with("{") || start.starts_with("//"))
    return errorAt(fileName, {},
                   "JSON; a .topo file needs no import. Expected one of: " +
                       kKnown);
  if (text.contains("Link Type between two GPUs") ||
      text.contains("Weight between two GPUs"))
    return readRocmTables(text, fileName, options);
  if (text.contains("Link 0:"))
    return readNvlinkReport(text, fileName, options);
  if (text.contains("GPU0"))
    return readTopoMatrix(text, fileName, options);
  return errorAt(fileName, {}, "not known; expected one of: " + kKnown);
}

llvm::Expected<ImportedMachine>
blink::importMachine(llvm::StringRef text, llvm::StringRef fileName,
                     const ImportOptions &options) {
  llvm::Expected<Inventory> inventory = readAny(text, fileName, options);
  if (!inventory)
    return inventory.takeError();
  if (inventory->name.empty())
    inventory->name = llvm::sys::path::stem(fileName).str();
  if (!isName(inventory->name)) // the name in a file can be any bytes
    inventory->name = "imported";
  auto hasCores = [](const NumaNode &node) { return !node.processors.empty(); };
  const bool isHost =
      inventory->gpus.empty() && llvm::any_of(inventory->numaNodes, hasCores);
  if (isHost)
    inventory->notes.warn(inventory->where,
                          "no GPU in this " + inventory->source +
                              ": this is a topology of cores, for the host "
                              "back end");
  llvm::Expected<Topology> topology =
      isHost ? hostGraph(*inventory, options.rates)
             : machineGraph(*inventory, options.rates);
  if (!topology)
    return topology.takeError();
  return ImportedMachine{std::move(*topology), inventory->source,
                         std::move(inventory->notes)};
}
