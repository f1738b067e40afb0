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
  /// What the format cannot say and was changed or left out, a sentence each:
  /// "gpu0:cpu0 has 20 GB/s; written as ...". Empty: nothing.
  std::vector<std::string> notes;
};

/// The machine as NCCL's topology XML (NCCL_TOPO_FILE), which blinkc import
/// reads. `model` is that of the GPUs; null: the first of Rates.h that has
/// links of these rates, in these numbers.
///
///   auto file = exportNcclTopo(findMachineType("dgx-h100")->topology());
///
/// The XML has numbers of links and PCIe generations where a topology has
/// rates: what is none of these is rounded, with a note. Latencies are left
/// out. Bus ids are made up, in the order of GPUs. Errors: a graph that is no
/// PCI trees below CPUs with NVLinks, xGMI or C2C beside them, and several
/// servers.
llvm::Expected<ExportedFile> exportNcclTopo(const Topology &machine,
                                            const GpuModel *model = nullptr);

/// The chains of `program` in `file` as NCCL's graph XML (NCCL_GRAPH_FILE):
/// rings, and of an allreduce the chains, too. Of several variants the one for
/// the largest messages is taken.
///
///   auto xml = exportNcclGraph(*file, *file->programs()->Get(0));
///
/// Shares of chains become numbers of channels, rounded with a note if NCCL has
/// not enough of them. Errors: trees that are no chains, or chains that are no
/// rings where NCCL has only these; alltoall and its like; relays; several
/// servers; one rank.
llvm::Expected<ExportedFile> exportNcclGraph(const sched::Schedule &file,
                                             const sched::Program &program);

/// `program` in `file` as an execution plan of MSCCL++ (JSON). Of several
/// variants the one for the largest messages is taken.
///
///   auto plan = exportMscclpp(*file, *file->programs()->Get(0));
///
/// A plan's chunks are of one size, so shares of trees are rounded to numbers
/// of them, with a note of the rate that is left. Its sums are sums: MSCCL++
/// divides nothing for an average. Errors: alltoall and its like; channels that
/// are not between GPUs' memories; relays; one rank; more folds, or a fold with
/// more channels, than thread blocks of MSCCL++ hold.
llvm::Expected<ExportedFile> exportMscclpp(const sched::Schedule &file,
                                           const sched::Program &program);

} // namespace blink

#endif // BLINK_COMPILER_EXPORT_EXPORT_H
