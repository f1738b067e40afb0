//===- Export.h - Blink's files for other programs --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_EXPORT_EXPORT_H
#define BLINK_COMPILER_EXPORT_EXPORT_H

#include "compiler/import/Rates.h"

#include "schedules/schedule_generated.h"

#include <string>
#include <vector>

namespace blink {

/// A file in another program's format.
struct ExportedFile {
  std::string text;
  /// What the format cannot express and was changed or left out, one sentence
  /// each: "gpu0:cpu0 has 20 GB/s; written as ...". May be empty.
  std::vector<std::string> notes;
};

/// Exports the machine as NCCL's topology XML (NCCL_TOPO_FILE), which blinkc
/// import reads. `model` is that of the GPUs; null: the first of Rates.h whose
/// links have these rates and numbers.
///
///   auto file = exportNcclTopo(findMachineType("dgx-h100")->topology());
///
/// The XML has numbers of links and PCIe generations instead of rates: a rate
/// that matches none is rounded, with a note. Latencies are left out. Bus ids
/// are invented, in the order of GPUs. Errors: a graph other than PCI trees
/// below CPUs with NVLinks, xGMI or C2C beside them; several servers.
llvm::Expected<ExportedFile> exportNcclTopo(const Topology &machine,
                                            const GpuModel *model = nullptr);

/// Exports the chains of `program` in `file` as NCCL's graph XML
/// (NCCL_GRAPH_FILE): rings, and for an allreduce also the chains. Takes the
/// variant for the largest messages.
///
///   auto xml = exportNcclGraph(*file, *file->programs()->Get(0));
///
/// Shares of chains become numbers of channels, rounded with a note if NCCL
/// does not have enough channels. Errors: trees that are no chains, or chains
/// that form no rings where NCCL has rings only; alltoall and similar
/// collectives; relays; several servers; one rank.
llvm::Expected<ExportedFile> exportNcclGraph(const sched::Schedule &file,
                                             const sched::Program &program);

/// Exports `program` in `file` as an execution plan of MSCCL++ (JSON). Takes
/// the variant for the largest messages.
///
///   auto plan = exportMscclpp(*file, *file->programs()->Get(0));
///
/// All chunks of a plan have one size, so the trees' shares are rounded to
/// whole chunks, with a note on the resulting rate. Averages are not supported,
/// as MSCCL++ does not divide its sums. Errors: alltoall and similar
/// collectives; channels other than between GPUs' memories; relays; one rank;
/// more folds, or a fold with more channels, than MSCCL++'s thread blocks hold.
llvm::Expected<ExportedFile> exportMscclpp(const sched::Schedule &file,
                                           const sched::Program &program);

} // namespace blink

#endif // BLINK_COMPILER_EXPORT_EXPORT_H
