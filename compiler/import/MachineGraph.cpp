//===- MachineGraph.cpp - a topology from an inventory --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/MachineGraph.h"

#include "compiler/support/Error.h"
#include "compiler/topology/Names.h"
#include "compiler/topology/fabric/RankTopology.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

using namespace blink;
using Kind = PciDevice::Kind;
using End = PeerLinks::End;

bool blink::isGpu(unsigned classCode, unsigned vendor, unsigned product) {
  constexpr unsigned kNvidia = 0x10de, kAmd = 0x1002;
  if (vendor != kNvidia && vendor != kAmd)
    return false;
  // Rage XL, Radeon 7000 and ES1000 (twice) are server consoles.
  const bool isConsole =
      vendor == kAmd && (product == 0x4752 || product == 0x5159 ||
                         product == 0x515e || product == 0x5969);
  // Display, 3D, other display controllers, processing accelerators.
  return !isConsole && (classCode == 0x0300 || classCode == 0x0302 ||
                        classCode == 0x0380 || classCode == 0x1200);
}

/// As many as Linux supports. Each is joined to every other.
static constexpr size_t kMostNumaNodes = 1024;

void blink::sortGpus(Inventory &inventory) {
  const auto busId = [&](const GpuDevice &gpu) -> const std::string & {
    return inventory.devices[size_t(gpu.device)].busId;
  };
  llvm::stable_sort(inventory.gpus,
                    [&](const GpuDevice &a, const GpuDevice &b) {
                      return isBusBefore(busId(a), busId(b));
                    });
}

std::string blink::normalBusId(llvm::StringRef text) {
  std::string lower = text.trim().lower();
  llvm::SmallVector<llvm::StringRef, 3> parts;
  llvm::StringRef(lower).split(parts, ':');
  if (parts.size() == 2)
    parts.insert(parts.begin(), "0000");
  unsigned domain, bus, device, function;
  if (parts.size() != 3)
    return "";
  auto [slot, dotted] = parts[2].split('.');
  if (parts[0].getAsInteger(16, domain) || parts[1].getAsInteger(16, bus) ||
      slot.getAsInteger(16, device) || dotted.getAsInteger(16, function) ||
      bus > 0xff || device > 0xff || function > 0xf)
    return "";
  return llvm::formatv("{0:x-4}:{1:x-2}:{2:x-2}.{3:x-1}", domain, bus, device,
                       function)
      .str();
}

namespace {

class Builder {
public:
  Builder(Inventory &inventory, RateSource source)
      : inventory_(inventory), source_(source) {}

  llvm::Expected<Topology> build() {
    if (llvm::Error error = checkDevices())
      return error;
    gpuOfDevice_.assign(inventory_.devices.size(), -1);
    for (size_t gpu = 0; gpu < inventory_.gpus.size(); ++gpu)
      if (inventory_.gpus[gpu].device >= 0)
        gpuOfDevice_[inventory_.gpus[gpu].device] = int(gpu);
    speeds_.resize(inventory_.devices.size());
    topology_.name = inventory_.name;
    topology_.description = inventory_.source + ", imported";
    for (size_t gpu = 0; gpu < inventory_.gpus.size(); ++gpu)
      addNode({"gpu" + std::to_string(gpu), NodeKind::gpu});
    addPeerLinks();
    addPciTree();
    joinNumaNodes();
    if (llvm::Error error = topology_.check())
      return makeError(inventory_.where +
                       ": error: " + llvm::toString(std::move(error)));
    return std::move(topology_);
  }

private:
  llvm::Error checkDevices() const;
  int addFabric(const PeerLinks &links);
  void addPeerLinks();
  void addFabricLinks(const PeerLinks &links);
  double rateOf(const PeerLinks &links);
  void addPciTree();
  void attach(int device, double bandwidth, int above);
  PciSpeed speedOf(int device);
  PciSpeed findSpeed(int device);
  double rateOf(int device);
  /// Adds a note unless it exists: a device can be looked at twice.
  void note(std::vector<std::string> &notes, const std::string &where,
            const std::string &text) {
    if (notes_.insert(where + text).second)
      notes.push_back(where + text);
  }
  int numaNode(int index);
  void joinNumaNodes();

  int addNode(Node node) {
    topology_.nodes.push_back(std::move(node));
    return static_cast<int>(topology_.nodes.size()) - 1;
  }
  void join(int a, int b, double bandwidth, double latency, LinkKind kind) {
    for (auto [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      auto [place, isNew] =
          linkIndex_.try_emplace({from, to, kind}, topology_.links.size());
      if (isNew)
        topology_.links.push_back({from, to, bandwidth, latency, kind});
      else
        topology_.links[place->second].bandwidth += bandwidth;
    }
  }
  std::string gpuName(int gpu) const { return topology_.nodes[gpu].id; }

  Inventory &inventory_;
  RateSource source_;
  Topology topology_;
  std::map<std::tuple<int, int, LinkKind>, size_t> linkIndex_;
  std::map<int, int> numaNodes_; ///< graph nodes by index in the inventory
  std::vector<std::vector<int>> below_;         ///< children to keep, by bridge
  std::vector<int> gpuOfDevice_;                ///< -1: none
  std::vector<std::optional<PciSpeed>> speeds_; ///< by device, once found
  std::set<std::string> notes_;
  int fabric_ = -1;
  int switches_ = 0, nics_ = 0;
};

} // namespace

llvm::Error Builder::checkDevices() const {
  if (inventory_.gpus.empty())
    return makeError(inventory_.where + ": error: no GPU in this " +
                     inventory_.source +
                     "; a topology needs at least one, so take the dump on the "
                     "machine itself");
  if (inventory_.gpus.size() > RankTopology::kMostPaired)
    return makeError("{0}: error: {1} GPUs: expected 1 to {2}",
                     inventory_.where, inventory_.gpus.size(),
                     RankTopology::kMostPaired);
  if (inventory_.numaNodes.size() > kMostNumaNodes)
    return makeError("{0}: error: {1} NUMA nodes: expected at most {2}",
                     inventory_.where, inventory_.numaNodes.size(),
                     kMostNumaNodes);
  llvm::StringMap<const PciDevice *> seen;
  for (const PciDevice &device : inventory_.devices) {
    if (!device.name.empty() && !isName(device.name))
      return makeError("{0}: error: a device's name must be {1}", device.where,
                       kNameRule);
    if (!device.busId.empty()) {
      auto [place, isNew] = seen.try_emplace(device.busId, &device);
      if (isNew)
        continue;
      const std::string again = "bus id " + device.busId +
                                " again; it is that of " + place->second->where;
      if (device.kind == Kind::gpu || place->second->kind == Kind::gpu)
        return makeError(device.where + ": error: " + again);
      inventory_.notes.warn(device.where, again + "; both are kept");
    }
  }
  return llvm::Error::success();
}

/// Returns the GB/s of one of these links. A reader has already tried to guess
/// an unknown model; if none is known here, NVLink 3 is assumed.
double Builder::rateOf(const PeerLinks &links) {
  if (links.bandwidth > 0)
    return links.bandwidth;
  if (const GpuModel *model = inventory_.gpus[links.gpu].model)
    if (model->peerKind == links.kind)
      return model->linkRate(source_);
  const GpuModel *usual =
      gpuModelOfArchitecture(links.kind == LinkKind::xgmi ? 910 : 80);
  inventory_.notes.guess(links.where, "rate of " + gpuName(links.gpu) + "'s " +
                                          toString(links.kind) +
                                          "s: that of a " + usual->name +
                                          "; --gpu-model says better");
  return usual->linkRate(source_);
}

/// Returns the node of the switches that a GPU's NVLinks lead to. Switches of
/// Hopper and later (third-generation NVSwitch) multicast and reduce.
int Builder::addFabric(const PeerLinks &links) {
  constexpr int kHopper = 90;
  const GpuModel *model = inventory_.gpus[links.gpu].model;
  const bool works = model && links.kind == LinkKind::nvlink &&
                     model->peerKind == LinkKind::nvlink &&
                     model->architecture >= kHopper;
  return addNode({"nvswitch0", NodeKind::switch_, /*multicast=*/works,
                  /*reduce=*/works});
}

void Builder::addPeerLinks() {
  // What each GPU lists about each other GPU, and where.
  struct Listed {
    const PeerLinks *first = nullptr;
    int count = 0;
    double bandwidth = 0; // of all of them
  };
  std::map<std::tuple<int, int, LinkKind>, Listed> listed;
  for (const PeerLinks &links : inventory_.links) {
    const double bandwidth = rateOf(links) * links.count;
    if (links.end == End::gpu) {
      Listed &all = listed[{links.gpu, links.index, links.kind}];
      if (!all.first)
        all.first = &links;
      all.count += links.count;
      all.bandwidth += bandwidth;
    } else if (links.end == End::fabric) {
      if (fabric_ < 0)
        fabric_ = addFabric(links);
      join(links.gpu, fabric_, bandwidth, kFabricLatency, links.kind);
    } else {
      join(links.gpu, numaNode(links.index), bandwidth, kPeerLatency,
           links.kind);
    }
  }

  for (const auto &[ends, links] : listed) {
    auto [from, to, kind] = ends;
    auto back = listed.find({to, from, kind});
    const int other = back == listed.end() ? 0 : back->second.count;
    if (other != links.count && (from < to || other == 0))
      inventory_.notes.warn(
          links.first->where,
          gpuName(from) + " lists " + llvm::Twine(links.count) + " " +
              toString(kind) + " to " + gpuName(to) + ", which lists " +
              llvm::Twine(other) + " back; the smaller number is taken");
    if (from < to && std::min(links.count, other) > 0)
      join(from, to, std::min(links.bandwidth, back->second.bandwidth),
           kind == LinkKind::xgmi ? kXgmiLatency : kPeerLatency, kind);
  }
}

/// Fills below_ with the devices that have a GPU or NIC at or below them, and
/// attaches the trees to their NUMA nodes.
void Builder::addPciTree() {
  size_t count = inventory_.devices.size();
  below_.resize(count);
  std::vector<bool> matters(count);
  std::vector<int> roots;
  for (size_t i = count; i-- > 0;) { // children follow their parents
    const PciDevice &device = inventory_.devices[i];
    matters[i] = matters[i] || device.kind != Kind::bridge;
    if (!matters[i])
      continue;
    if (device.parent < 0) {
      roots.insert(roots.begin(), static_cast<int>(i));
    } else {
      matters[device.parent] = true;
      std::vector<int> &siblings = below_[device.parent];
      siblings.insert(siblings.begin(), static_cast<int>(i));
    }
  }
  for (int root : roots) {
    int node = inventory_.devices[root].numaNode;
    attach(root, rateOf(root), numaNode(std::max(node, 0)));
  }
}

/// Attaches `device` and everything below it to the node `above`; its link to
/// that node, including the bridges in between, carries `bandwidth`.
void Builder::attach(int device, double bandwidth, int above) {
  // Chains of bridges without branches are as slow as their slowest link.
  while (inventory_.devices[device].kind == Kind::bridge &&
         below_[device].size() == 1) {
    device = below_[device].front();
    bandwidth = std::min(bandwidth, rateOf(device));
  }
  const PciDevice &entry = inventory_.devices[device];
  int node = -1;
  if (entry.kind == Kind::gpu) {
    node = gpuOfDevice_[device];
  } else if (entry.kind == Kind::nic) {
    node = addNode({"nic" + std::to_string(nics_++), NodeKind::nic});
    topology_.nodes[node].device = entry.name;
  } else {
    node = addNode({"plx" + std::to_string(switches_++), NodeKind::switch_});
  }
  if (node < 0)
    return; // a GPU that the reader left out
  join(node, above, bandwidth, kPciLatency, LinkKind::pcie);
  for (int child : below_[device])
    attach(child, rateOf(child), node);
}

/// Returns the speed of the PCIe link above a device. If the source does not
/// state it, or states that of a sleeping link, the speed comes from the GPU's
/// model or from the devices below.
PciSpeed Builder::speedOf(int device) {
  if (!speeds_[device])
    speeds_[device] = findSpeed(device);
  return *speeds_[device];
}

PciSpeed Builder::findSpeed(int index) {
  const PciDevice &device = inventory_.devices[index];
  PciSpeed speed = device.speed;
  const int gpu = gpuOfDevice_[index];
  const GpuModel *model = gpu < 0 ? nullptr : inventory_.gpus[gpu].model;
  std::string name = device.busId.empty() ? "PCIe" : device.busId + ": PCIe";
  auto text = [](PciSpeed speed) {
    return readable(speed.gigatransfers) + " GT/s x" +
           std::to_string(speed.lanes);
  };

  // The fastest speed below the device; for a GPU, its model's.
  PciSpeed usual{model ? model->pciGigatransfers : 0, 16};
  std::string reason = "its model's";
  for (int child : below_[index]) {
    PciSpeed lower = speedOf(child);
    if (lower.gigatransfers > usual.gigatransfers) {
      usual = lower;
      reason = "that of what is below";
    }
  }
  bool asleep = model && speed.gigatransfers > 0 && speed.gigatransfers <= 5 &&
                usual.gigatransfers > speed.gigatransfers;
  bool isVirtual = device.kind == Kind::bridge && speed.gigatransfers == 2.5 &&
                   usual.gigatransfers > speed.gigatransfers;
  if (asleep || isVirtual) {
    note(inventory_.notes.warnings, device.where + ": warning: ",
         name + " at " + text(speed) +
             (asleep ? ", as an idle GPU's link is"
                     : ", as virtual bridges say") +
             "; taken as " + text(usual) + ", " + reason);
    return usual;
  }
  if (usual.gigatransfers == 0) {
    usual.gigatransfers = 16;
    reason = "a common one";
  }
  if (!speed.isKnown()) {
    if (speed.gigatransfers == 0)
      speed.gigatransfers = usual.gigatransfers;
    if (speed.lanes == 0)
      speed.lanes = usual.lanes;
    note(inventory_.notes.guesses,
         (device.busId.empty() ? inventory_.where : device.where) + ": ",
         name + " speed taken as " + text(speed) + ", " + reason);
  }
  return speed;
}

double Builder::rateOf(int device) {
  return pciBandwidth(speedOf(device), source_);
}

/// Returns the graph node of a NUMA node, which is added on first use.
int Builder::numaNode(int index) {
  auto [place, isNew] = numaNodes_.try_emplace(index, 0);
  if (isNew) {
    int id = index < static_cast<int>(inventory_.numaNodes.size())
                 ? inventory_.numaNodes[index].id
                 : index;
    place->second = addNode({"cpu" + std::to_string(id), NodeKind::cpu});
  }
  return place->second;
}

void Builder::joinNumaNodes() {
  for (auto a = numaNodes_.begin(); a != numaNodes_.end(); ++a)
    for (auto b = std::next(a); b != numaNodes_.end(); ++b) {
      HostRate rate = hostRate(inventory_.numaNodes[a->first].cpu, source_);
      join(a->second, b->second, rate.bandwidth, kHostLatency, LinkKind::host);
      note(inventory_.notes.guesses, inventory_.where + ": ",
           "between CPUs " + readable(rate.bandwidth) +
               " GB/s: " + rate.reason);
    }
}

llvm::Expected<Topology> blink::machineGraph(Inventory &inventory,
                                             RateSource source) {
  return Builder(inventory, source).build();
}
