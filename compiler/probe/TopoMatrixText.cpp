//===- TopoMatrixText.cpp - a machine in nvidia-smi's notation ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/Probe.h"

#include <algorithm>
#include <map>

using namespace blink;

/// Returns a device and the bridges above it, from the NUMA node down.
static std::vector<int> pathTo(const Inventory &inventory, int device) {
  std::vector<int> path;
  for (; device >= 0; device = inventory.devices[device].parent)
    path.push_back(device);
  std::reverse(path.begin(), path.end());
  return path;
}

/// PIX: one switch between the devices, PXB: several, PHB: the CPU, SYS: two
/// CPUs. A switch is two bridges deep, an upstream and a downstream port; the
/// first bridge of a path is the CPU's own.
static const char *wayBetween(const Inventory &inventory, int a, int b) {
  std::vector<int> pathA = pathTo(inventory, a), pathB = pathTo(inventory, b);
  size_t shared = 0;
  while (shared < pathA.size() && shared < pathB.size() &&
         pathA[shared] == pathB[shared])
    ++shared;
  if (shared == 0)
    return inventory.devices[pathA[0]].numaNode ==
                   inventory.devices[pathB[0]].numaNode
               ? "PHB"
               : "SYS";
  // Below the last shared bridge: a port of the switch, and the device.
  size_t apart = std::max(pathA.size(), pathB.size()) - shared;
  return apart <= 2 ? "PIX" : "PXB";
}

std::string blink::topoMatrix(const Inventory &inventory) {
  struct Column {
    std::string name;
    int device, gpu; // gpu: -1 for a NIC
  };
  std::vector<Column> columns;
  for (size_t gpu = 0; gpu < inventory.gpus.size(); ++gpu)
    columns.push_back({"GPU" + std::to_string(gpu), inventory.gpus[gpu].device,
                       static_cast<int>(gpu)});
  std::string legend;
  for (size_t i = 0, nics = 0; i < inventory.devices.size(); ++i)
    if (inventory.devices[i].kind == PciDevice::Kind::nic) {
      std::string name = "NIC" + std::to_string(nics++);
      columns.push_back({name, static_cast<int>(i), -1});
      legend += "  " + name + ": " + inventory.devices[i].name + " (" +
                inventory.devices[i].busId + ")\n";
    }

  std::map<std::pair<int, int>, int> direct;
  std::map<int, int> toFabric;
  for (const PeerLinks &links : inventory.links)
    if (links.end == PeerLinks::End::gpu)
      direct[{links.gpu, links.index}] += links.count;
    else if (links.end == PeerLinks::End::fabric)
      toFabric[links.gpu] += links.count;
  auto cell = [&](const Column &a, const Column &b) -> std::string {
    if (a.device == b.device)
      return "X";
    int links = 0;
    if (a.gpu >= 0 && b.gpu >= 0) {
      if (auto found = direct.find({a.gpu, b.gpu}); found != direct.end())
        links = found->second;
      else if (toFabric.count(a.gpu) && toFabric.count(b.gpu))
        links = std::min(toFabric[a.gpu], toFabric[b.gpu]);
    }
    return links > 0 ? "NV" + std::to_string(links)
                     : wayBetween(inventory, a.device, b.device);
  };

  std::string text;
  auto add = [&](std::string word) {
    word.resize(std::max<size_t>(word.size() + 1, 7), ' ');
    text += word;
  };
  auto endLine = [&] {
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  };
  add("");
  for (const Column &column : columns)
    add(column.name);
  endLine();
  for (const Column &row : columns) {
    add(row.name);
    for (const Column &column : columns)
      add(cell(row, column));
    endLine();
  }
  return text + legend;
}
