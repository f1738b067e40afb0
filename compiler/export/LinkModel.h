//===- LinkModel.h - models that explain a machine's rates ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// NCCL's XML names devices, and rates follow from those: the inverse of the
// tables of import/Rates.h.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_EXPORT_LINKMODEL_H
#define BLINK_COMPILER_EXPORT_LINKMODEL_H

#include "compiler/import/Rates.h"

#include <pugixml.hpp>

namespace blink {

/// What a machine's links between GPUs are made of.
struct LinkModel {
  const GpuModel *gpu;
  RateSource source; ///< by which its rates are those of `gpu`
  int fabric = -1;   ///< the NVSwitch node; -1: there is none

  double rate() const { return gpu->linkRate(source); } ///< GB/s of one link
  /// Links that carry `bandwidth` GB/s together, rounded, at least one.
  int count(double bandwidth) const;
};

/// With `model`, or else the first one whose links the machine's can be: whole
/// numbers of them, no more at a GPU than it has, on a switch only if they are
/// sold so; by nominal rates if possible, else by NCCL's. Errors: links that
/// NCCL's XML has no element for, by name; no model has such links.
llvm::Expected<LinkModel> linkModelOf(const Topology &machine,
                                      const GpuModel *model);

/// Whether two figures mean one rate: 15.75 and 15.754.
bool isSameRate(double a, double b);

/// The PCIe link with the rate `bandwidth`, of several the one with most lanes;
/// else, of those with 16 lanes, the nearest.
PciSpeed pciSpeedFor(double bandwidth, RateSource source);

/// The CPU whose links to others have the rate nearest to `bandwidth`. NVLinks
/// to CPUs make it a POWER9, C2C a Grace.
CpuModel cpuModelFor(const Topology &machine, double bandwidth,
                     RateSource source);

/// Sets the attributes that tell NCCL of the model.
void writeCpuModel(pugi::xml_node cpu, const CpuModel &model);
void writeArchitecture(pugi::xml_node gpu, const GpuModel &model);

} // namespace blink

#endif // BLINK_COMPILER_EXPORT_LINKMODEL_H
