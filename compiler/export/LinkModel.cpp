//===- LinkModel.cpp - models that explain a machine's rates --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/export/LinkModel.h"
#include "compiler/export/XmlText.h"

#include "compiler/support/Error.h"

#include <algorithm>
#include <cmath>

using namespace blink;

bool blink::isSameRate(double a, double b) {
  return std::abs(a - b) <= 0.005 * std::max(a, b);
}

int LinkModel::count(double bandwidth) const {
  return std::max(1, static_cast<int>(std::lround(bandwidth / rate())));
}

/// Whether the XML has an element for a link between two such nodes.
static bool isKnown(LinkKind kind, NodeKind a, NodeKind b) {
  if (a > b)
    std::swap(a, b); // gpu, switch, cpu, nic
  switch (kind) {
  case LinkKind::nvlink:
  case LinkKind::xgmi:
    return a == NodeKind::gpu && b != NodeKind::nic;
  case LinkKind::c2c:
    return a == NodeKind::gpu && b == NodeKind::cpu;
  case LinkKind::pcie:
    return !(a == NodeKind::gpu && b == NodeKind::gpu);
  case LinkKind::host:
    return a == NodeKind::cpu && b == NodeKind::cpu;
  case LinkKind::network:
    return false;
  }
  return false;
}

/// Finds the NVSwitch node, and refuses links that cannot be written.
static llvm::Expected<int> findFabric(const Topology &machine) {
  int fabric = -1;
  for (const Link &link : machine.links) {
    const Node &from = machine.nodes[link.from], &to = machine.nodes[link.to];
    if (link.kind == LinkKind::network)
      return makeError("{0}:{1}: a network link; NCCL's topology XML is of one "
                       "server, so export the type of one",
                       from.id, to.id);
    if (!isKnown(link.kind, from.kind, to.kind))
      return makeError(
          "{0}:{1}: NCCL's topology XML has no {2} links between {3} and {4}",
          from.id, to.id, toString(link.kind).str(), toString(from.kind).str(),
          toString(to.kind).str());
    if (link.kind != LinkKind::nvlink && link.kind != LinkKind::xgmi)
      continue;
    for (int end : {link.from, link.to}) {
      if (machine.nodes[end].kind != NodeKind::switch_)
        continue;
      if (fabric >= 0 && fabric != end)
        return makeError("{0} and {1}: two switches of NVLinks; NCCL's "
                         "topology XML has one NVSwitch a server",
                         machine.nodes[fabric].id, machine.nodes[end].id);
      fabric = end;
    }
  }
  return fabric;
}

/// Whether the links of `model` add up to whole numbers, and to no more at any
/// GPU than it has. Sets `mostLinks` to the largest number at a GPU.
static bool explains(const Topology &machine, const LinkModel &links,
                     int &mostLinks) {
  std::vector<int> counts(machine.nodes.size());
  bool onSwitch = false;
  mostLinks = 0;
  for (const Link &link : machine.links) {
    if (link.kind == LinkKind::nvlink || link.kind == LinkKind::xgmi) {
      int count = links.count(link.bandwidth);
      if (link.kind != links.gpu->peerKind ||
          !isSameRate(count * links.rate(), link.bandwidth))
        return false;
      counts[link.from] += count;
      onSwitch |= machine.nodes[link.to].kind == NodeKind::switch_;
      if (machine.nodes[link.from].kind == NodeKind::gpu)
        mostLinks = std::max(mostLinks, counts[link.from]);
    }
  }
  return mostLinks <= links.gpu->maxLinks && (!onSwitch || links.gpu->onSwitch);
}

/// Returns the GB/s of the fastest PCIe link of a GPU; 0 if there is none.
static double pciRate(const Topology &machine) {
  double most = 0;
  for (const Link &link : machine.links)
    if (link.kind == LinkKind::pcie &&
        machine.nodes[link.from].kind == NodeKind::gpu)
      most = std::max(most, link.bandwidth);
  return most;
}

llvm::Expected<LinkModel> blink::linkModelOf(const Topology &machine,
                                             const GpuModel *model) {
  llvm::Expected<int> fabric = findFabric(machine);
  if (!fabric)
    return fabric.takeError();
  const double pci = pciRate(machine);
  const LinkModel *best = nullptr;
  std::vector<LinkModel> candidates;
  std::vector<std::pair<int, double>> unused; // links, and GB/s of PCIe
  for (RateSource source : {RateSource::nominal, RateSource::nccl})
    for (const GpuModel &gpu : gpuModels()) {
      LinkModel links{&gpu, source, *fabric};
      int most = 0;
      if ((model && model != &gpu) || !explains(machine, links, most))
        continue;
      double own = pciBandwidth({gpu.pciGigatransfers, 16}, source);
      // Without other links the rate of PCIe decides.
      if (source == RateSource::nccl && most == 0 && !isSameRate(own, pci))
        continue;
      candidates.push_back(links);
      unused.push_back(
          {gpu.maxLinks - most, pci > 0 ? std::abs(own - pci) : 0});
    }
  for (size_t i = 0; i < candidates.size(); ++i)
    if (!best || (candidates[i].source == best->source &&
                  unused[i] < unused[best - candidates.data()]))
      best = &candidates[i];
  if (best)
    return *best;
  if (model) // its rates are rounded
    return LinkModel{model, RateSource::nominal, *fabric};
  return makeError("no model of GPU is known that has such links to others; "
                   "name one, to whose rates they are rounded: --gpu-model "
                   "h100-sxm");
}

PciSpeed blink::pciSpeedFor(double bandwidth, RateSource source) {
  PciSpeed nearest;
  double least = 0;
  for (int lanes : {16, 8, 4, 2, 1})
    for (double speed : {64.0, 32.0, 16.0, 8.0, 5.0, 2.5}) {
      const PciSpeed link{speed, lanes};
      const double rate = pciBandwidth(link, source);
      if (isSameRate(rate, bandwidth))
        return link;
      double off = std::abs(std::log(rate / bandwidth));
      if (!nearest.isKnown() || (lanes == 16 && off < least)) {
        nearest = link;
        least = off;
      }
    }
  return nearest;
}

CpuModel blink::cpuModelFor(const Topology &machine, double bandwidth,
                            RateSource source) {
  using Vendor = CpuModel::Vendor;
  for (const Link &link : machine.links) {
    if (machine.nodes[link.to].kind != NodeKind::cpu)
      continue;
    if (link.kind == LinkKind::nvlink)
      return {Vendor::power, 0, 0};
    if (link.kind == LinkKind::c2c)
      return {Vendor::arm, 0, 0};
  }
  // One CPU for each row of hostRate that occurs in such machines.
  static constexpr CpuModel kModels[] = {
      {Vendor::intel, 6, 143}, {Vendor::intel, 6, 106}, {Vendor::intel, 6, 85},
      {Vendor::intel, 6, 79},  {Vendor::intel, 6, 207}, {Vendor::intel, 6, 173},
      {Vendor::amd, 23, 49},   {Vendor::amd, 25, 17}};
  const CpuModel *best = &kModels[0];
  for (const CpuModel &model : kModels) {
    auto off = [&](const CpuModel &of) {
      return std::abs(hostRate(of, source).bandwidth - bandwidth);
    };
    if (bandwidth > 0 && off(model) < off(*best))
      best = &model;
  }
  return *best;
}

void blink::writeCpuModel(pugi::xml_node cpu, const CpuModel &model) {
  using Vendor = CpuModel::Vendor;
  const bool isX86 =
      model.vendor == Vendor::intel || model.vendor == Vendor::amd;
  setAttribute(cpu, "arch",
               isX86                           ? "x86_64"
               : model.vendor == Vendor::power ? "ppc64"
                                               : "arm64");
  if (!isX86)
    return;
  setAttribute(cpu, "vendor",
               model.vendor == Vendor::intel ? "GenuineIntel" : "AuthenticAMD");
  setAttribute(cpu, "familyid", model.family);
  setAttribute(cpu, "modelid", model.model);
}

void blink::writeArchitecture(pugi::xml_node gpu, const GpuModel &model) {
  if (model.peerKind != LinkKind::xgmi) {
    setAttribute(gpu, "sm", model.architecture);
    return;
  }
  const bool isGfx90a = model.architecture == 910; // Rates.h has numbers alone
  setAttribute(gpu, "sm", isGfx90a ? 90 : model.architecture / 10);
  setAttribute(gpu, "gcn",
               isGfx90a ? "gfx90a"
                        : "gfx" + std::to_string(model.architecture));
}
