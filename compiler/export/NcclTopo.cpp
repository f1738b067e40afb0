//===- NcclTopo.cpp - a machine as NCCL's topology XML --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Inverts import/NcclXml.cpp: rates become numbers of links of a GPU model,
// PCIe generations and CPU models.
//
//===----------------------------------------------------------------------===//

#include "compiler/export/Export.h"
#include "compiler/export/LinkModel.h"
#include "compiler/export/XmlText.h"

#include "compiler/support/Error.h"

#include <algorithm>
#include <map>

using namespace blink;

namespace {

/// The other end of a link, and the GB/s it carries in each direction.
struct Neighbor {
  int node;
  LinkKind kind;
  double rate;
};

class NcclTopoWriter {
public:
  NcclTopoWriter(const Topology &machine, const LinkModel &model)
      : machine_(machine), model_(model) {}

  llvm::Expected<ExportedFile> write() {
    sortLinks();
    if (llvm::Error error = findParents())
      return error;
    if (model_.source == RateSource::nccl)
      note("rates are those that NCCL plans with: import it with --rates nccl");
    for (const Node &node : machine_.nodes)
      if (node.multicast || node.reduce)
        note(node.id + " copies or reduces, which the XML cannot say");
    pugi::xml_node system = document_.append_child("system");
    const bool isAmd = model_.gpu->peerKind == LinkKind::xgmi;
    setAttribute(system, "version", isAmd ? 2 : 1); // RCCL's is 2
    writeCpus(system);
    return ExportedFile{xmlText(document_), std::move(notes_)};
  }

private:
  NodeKind kind(int node) const { return machine_.nodes[node].kind; }
  const std::string &id(int node) const { return machine_.nodes[node].id; }
  std::string pairName(int a, int b) const { return id(a) + ":" + id(b); }
  void note(std::string text) { notes_.push_back(std::move(text)); }

  void sortLinks();
  llvm::Error findParents();
  llvm::Error hangBelow(int cpu);
  void placeWithoutPci(int gpu);
  llvm::Error checkCpuLinks();
  CpuModel cpuModel();
  void writeCpus(pugi::xml_node system);
  void writeDevices(pugi::xml_node above, int parent);
  void writePci(pugi::xml_node pci, int node);
  void writeGpu(pugi::xml_node pci, int node);
  void writePeerLink(pugi::xml_node gpu, int node, const Neighbor &other);
  std::string busIdOf(int node) const;

  const Topology &machine_;
  const LinkModel model_;
  std::vector<std::string> notes_;
  pugi::xml_document document_;
  std::vector<std::vector<Neighbor>> neighbors_; ///< per node, ascending
  std::vector<int> numbers_;                     ///< per node, among its kind
  std::vector<int> parents_;    ///< of devices, in the PCI tree; -1: none
  std::vector<double> upRates_; ///< GB/s to the parent; 0: an invented place
  std::vector<std::vector<int>> children_; ///< per node, ascending
  std::vector<int> cpus_;
};

} // namespace

void NcclTopoWriter::sortLinks() {
  std::map<std::tuple<int, int, LinkKind>, double> rates;
  for (const Link &link : machine_.links) {
    auto [a, b] = std::minmax(link.from, link.to);
    auto [place, isNew] = rates.try_emplace({a, b, link.kind}, link.bandwidth);
    if (isNew)
      continue;
    if (place->second != link.bandwidth)
      note(pairName(a, b) + " has " + readable(place->second) + " and " +
           readable(link.bandwidth) +
           " GB/s in its directions; the lower one is written for both");
    place->second = std::min(place->second, link.bandwidth);
  }
  neighbors_.resize(machine_.nodes.size());
  for (const auto &[ends, rate] : rates) {
    auto [a, b, linkKind] = ends;
    neighbors_[a].push_back({b, linkKind, rate});
    neighbors_[b].push_back({a, linkKind, rate});
  }
  std::map<NodeKind, int> counts;
  for (const Node &node : machine_.nodes)
    numbers_.push_back(counts[node.kind]++);
}

/// Arranges devices in trees below CPUs, by their PCIe links.
llvm::Error NcclTopoWriter::findParents() {
  const int count = static_cast<int>(machine_.nodes.size());
  parents_.assign(count, -1);
  upRates_.assign(count, 0);
  children_.resize(count);
  for (int node = 0; node < count; ++node)
    if (kind(node) == NodeKind::cpu)
      cpus_.push_back(node);
  for (int cpu : cpus_)
    if (llvm::Error error = hangBelow(cpu))
      return error;
  if (model_.fabric >= 0 && parents_[model_.fabric] >= 0)
    return makeError("{0}: a switch of NVLinks and of PCIe; in NCCL's topology "
                     "XML that is two",
                     id(model_.fabric));
  for (int node = 0; node < count; ++node) {
    if (kind(node) == NodeKind::cpu || node == model_.fabric)
      continue;
    if (parents_[node] < 0 && kind(node) == NodeKind::gpu)
      placeWithoutPci(node);
    else if (parents_[node] < 0)
      return makeError("{0}: no PCIe links lead from it to a CPU; NCCL's "
                       "topology XML has PCI trees below CPUs",
                       id(node));
    if (parents_[node] >= 0)
      children_[parents_[node]].push_back(node);
  }
  return checkCpuLinks();
}

llvm::Error NcclTopoWriter::hangBelow(int cpu) {
  static constexpr int kMostNested = 32; // far more than PCIe allows
  struct Place {
    int node, above, depth;
  };
  std::vector<Place> open{{cpu, -1, 0}};
  while (!open.empty()) {
    const Place here = open.back();
    open.pop_back();
    if (here.depth > kMostNested)
      return makeError("{0}: more than {1} PCIe switches in a row",
                       id(here.node), kMostNested);
    for (const Neighbor &other : neighbors_[here.node]) {
      if (other.kind != LinkKind::pcie || other.node == here.above)
        continue;
      if (parents_[other.node] >= 0 || kind(other.node) == NodeKind::cpu)
        return makeError("{0}: PCIe leads to it from {1}, too; NCCL's topology "
                         "XML has PCI trees below CPUs, with one way up",
                         id(other.node), id(here.node));
      parents_[other.node] = here.node;
      upRates_[other.node] = other.rate;
      open.push_back({other.node, here.node, here.depth + 1});
    }
  }
  return llvm::Error::success();
}

/// Places a GPU without PCIe, which many machines' files leave out: in the XML
/// each GPU is a PCI device.
void NcclTopoWriter::placeWithoutPci(int gpu) {
  parents_[gpu] = cpus_.empty() ? -1 : cpus_.front();
  for (const Neighbor &other : neighbors_[gpu])
    if (kind(other.node) == NodeKind::cpu)
      parents_[gpu] = other.node;
}

/// Checks that NVLinks and C2C to CPUs lead to the CPU of the GPU's PCI tree:
/// the XML knows no others.
llvm::Error NcclTopoWriter::checkCpuLinks() {
  for (int cpu : cpus_)
    for (const Neighbor &other : neighbors_[cpu]) {
      if (kind(other.node) != NodeKind::gpu)
        continue;
      int top = other.node;
      while (parents_[top] >= 0)
        top = parents_[top];
      if (top != cpu)
        return makeError("{0}: its {1} leads to {2} and its PCIe to {3}; in "
                         "NCCL's topology XML both lead to one CPU",
                         id(other.node), toString(other.kind).str(), id(cpu),
                         id(top));
    }
  return llvm::Error::success();
}

/// Returns a CPU whose links to other CPUs are as fast as those between
/// `cpus_`.
CpuModel NcclTopoWriter::cpuModel() {
  std::optional<double> wanted;
  bool alike = true;
  for (int cpu : cpus_) {
    size_t joined = 0;
    for (const Neighbor &other : neighbors_[cpu])
      if (other.kind == LinkKind::host) {
        ++joined;
        alike &= !wanted || *wanted == other.rate;
        wanted = std::max(wanted.value_or(0), other.rate);
      }
    alike &= joined + 1 == cpus_.size();
  }
  if (cpus_.size() > 1 && !wanted)
    wanted = 0; // the XML joins them in any case
  CpuModel model = cpuModelFor(machine_, wanted.value_or(0), model_.source);
  if (!wanted)
    return model;
  HostRate made = hostRate(model, model_.source);
  if (!alike || made.bandwidth != *wanted)
    note("between CPUs " + readable(made.bandwidth) + " GB/s each (" +
         made.reason + ") instead of " +
         (alike ? readable(*wanted) : "rates that differ") +
         ": the XML names CPUs, not their links");
  return model;
}

void NcclTopoWriter::writeCpus(pugi::xml_node system) {
  const CpuModel model = cpuModel();
  if (cpus_.empty())
    note("a CPU is added, for the PCI devices to be at");
  for (int gpu : machine_.gpus())
    if (upRates_[gpu] == 0) {
      note(id(gpu) + " has no PCIe link here, and gets one, as all without: in "
                     "the XML each GPU is a PCI device");
      break;
    }
  auto write = [&](int node, int number) {
    pugi::xml_node cpu = system.append_child("cpu");
    setAttribute(cpu, "numaid", number);
    setAttribute(cpu, "affinity", "ffffffff");
    writeCpuModel(cpu, model);
    writeDevices(cpu, node);
  };
  if (cpus_.empty())
    write(-1, 0);
  for (size_t i = 0; i < cpus_.size(); ++i)
    write(cpus_[i], static_cast<int>(i));
}

void NcclTopoWriter::writeDevices(pugi::xml_node above, int parent) {
  if (parent < 0) // a CPU that only the XML has
    for (int gpu : machine_.gpus())
      writePci(above.append_child("pci"), gpu);
  else
    for (int child : children_[parent])
      writePci(above.append_child("pci"), child);
}

/// Readers number GPUs by bus id.
std::string NcclTopoWriter::busIdOf(int node) const {
  const NodeKind what = kind(node);
  unsigned domain = what == NodeKind::gpu   ? 0
                    : what == NodeKind::nic ? 0x2000
                                            : 0x1000;
  unsigned number = numbers_[node] + 1; // bus 0 is the root's
  return llvm::formatv("{0:x-4}:{1:x-2}:00.0", domain + number / 0x100,
                       number % 0x100)
      .str();
}

void NcclTopoWriter::writePci(pugi::xml_node pci, int node) {
  const NodeKind what = kind(node);
  setAttribute(pci, "busid", busIdOf(node));
  setAttribute(pci, "class",
               what == NodeKind::gpu   ? "0x030200"
               : what == NodeKind::nic ? "0x020000"
                                       : "0x060400");
  PciSpeed speed{model_.gpu->pciGigatransfers, 16};
  if (double rate = upRates_[node]; rate > 0) {
    speed = pciSpeedFor(rate, model_.source);
    double made = pciBandwidth(speed, model_.source);
    if (!isSameRate(made, rate))
      note(pairName(node, parents_[node]) + " has " + readable(rate) +
           " GB/s; written as PCIe of " + readable(speed.gigatransfers) +
           " GT/s x" + std::to_string(speed.lanes) + ", " + readable(made));
  }
  setAttribute(pci, "link_speed", readable(speed.gigatransfers) + " GT/s PCIe");
  setAttribute(pci, "link_width", speed.lanes);

  if (what == NodeKind::gpu) {
    writeGpu(pci, node);
  } else if (what == NodeKind::nic) {
    pugi::xml_node net = pci.append_child("nic").append_child("net");
    const std::string &device = machine_.nodes[node].device;
    setAttribute(net, "name", device.empty() ? id(node) : device);
  } else {
    writeDevices(pci, node);
    if (children_[node].size() < 2)
      note(id(node) + " has " +
           (children_[node].empty() ? "nothing" : "one device") +
           " below it, and is not a node of its own when the XML is read");
  }
}

void NcclTopoWriter::writeGpu(pugi::xml_node pci, int node) {
  pugi::xml_node gpu = pci.append_child("gpu");
  setAttribute(gpu, "dev", numbers_[node]);
  writeArchitecture(gpu, *model_.gpu);
  setAttribute(gpu, "rank", numbers_[node]);
  setAttribute(gpu, "gdr", 1);
  for (const Neighbor &other : neighbors_[node]) {
    if (other.kind == LinkKind::c2c) {
      pugi::xml_node link = gpu.append_child("c2c");
      setAttribute(link, "bw", readable(other.rate * 1000)); // MB/s
      setAttribute(link, "count", 1);
    } else if (other.kind != LinkKind::pcie) {
      writePeerLink(gpu, node, other);
    }
  }
}

void NcclTopoWriter::writePeerLink(pugi::xml_node gpu, int node,
                                   const Neighbor &other) {
  const int count = model_.count(other.rate);
  const bool isSecond = kind(other.node) == NodeKind::gpu && other.node < node;
  if (!isSecond && !isSameRate(count * model_.rate(), other.rate))
    note(pairName(node, other.node) + " has " + readable(other.rate) +
         " GB/s; written as " + std::to_string(count) + " links of " +
         readable(model_.rate()));
  std::string target = "fffffff:ffff:ff"; // NVSwitch as a guest sees it
  const char *code = "0x068000";
  if (kind(other.node) == NodeKind::gpu) {
    target = busIdOf(other.node);
    code = "0x030200";
  } else if (kind(other.node) == NodeKind::cpu) {
    target = "fff0:00:00.0"; // POWER9's bridge, not a device here
    code = "0x068001";
  }
  pugi::xml_node link =
      gpu.append_child(other.kind == LinkKind::xgmi ? "xgmi" : "nvlink");
  setAttribute(link, "target", target);
  setAttribute(link, "count", count);
  setAttribute(link, "tclass", code);
}

llvm::Expected<ExportedFile> blink::exportNcclTopo(const Topology &machine,
                                                   const GpuModel *model) {
  llvm::Expected<LinkModel> links = linkModelOf(machine, model);
  if (!links)
    return links.takeError();
  return NcclTopoWriter(machine, *links).write();
}
