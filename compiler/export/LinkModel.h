//===- LinkModel.h - models that explain a machine's rates ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// NCCL's XML names devices, and NCCL derives rates from them. This file inverts
// the tables of import/Rates.h.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_EXPORT_LINKMODEL_H
#define BLINK_COMPILER_EXPORT_LINKMODEL_H

#include "compiler/import/Rates.h"

#include <pugixml.hpp>

namespace blink {

/// The model that explains a machine's links between GPUs.
struct LinkModel {
  const GpuModel *gpu;
  RateSource source; ///< the figures of `gpu` that match the machine
  int fabric = -1;   ///< the NVSwitch node; -1: there is none

  double rate() const { return gpu->linkRate(source); } ///< GB/s of one link
  /// Returns the number of links that carry `bandwidth` GB/s together, rounded;
  /// at least one.
  int count(double bandwidth) const;
};

/// Takes `model`, or else the first model whose links the machine can have:
/// whole numbers of them, at most as many per GPU as the model has, and on a
/// switch only if the model is sold so. Nominal rates are preferred to NCCL's.
/// Errors: links that NCCL's XML has no element for, by name; no model has such
/// links.
llvm::Expected<LinkModel> linkModelOf(const Topology &machine,
                                      const GpuModel *model);

/// Whether two figures denote the same rate: 15.75 and 15.754.
bool isSameRate(double a, double b);

/// Returns the PCIe link with the rate `bandwidth`, the one with most lanes if
/// there are several; otherwise the nearest one with 16 lanes.
PciSpeed pciSpeedFor(double bandwidth, RateSource source);

/// Returns the CPU whose links to other CPUs have the rate nearest to
/// `bandwidth`. With NVLinks to CPUs it is a POWER9, with C2C a Grace.
CpuModel cpuModelFor(const Topology &machine, double bandwidth,
                     RateSource source);

/// Sets the attributes by which NCCL recognizes the model.
void writeCpuModel(pugi::xml_node cpu, const CpuModel &model);
void writeArchitecture(pugi::xml_node gpu, const GpuModel &model);

} // namespace blink

#endif // BLINK_COMPILER_EXPORT_LINKMODEL_H
