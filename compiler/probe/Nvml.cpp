//===- Nvml.cpp - GPUs as NVIDIA's driver reports them --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The few required calls of NVML are declared here, as its header is not part
// of the CUDA toolkit.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/Nvml.h"

#include "llvm/ADT/ScopeExit.h"

#include <dlfcn.h>

#include <map>

using namespace blink;
using End = PeerLinks::End;

namespace {

using Device = void *;
constexpr unsigned kMaxLinks = 36; // NVML_NVLINK_MAX_LINKS

/// nvmlPciInfo_t of its third version.
struct PciInfo {
  char busIdLegacy[16];
  unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
};

/// nvmlUtilization_t: percent of the time, over the last second or less.
struct Utilization {
  unsigned gpu, memory;
};

/// nvmlIntNvLinkDeviceType_t
enum RemoteType : int { kRemoteGpu = 0, kRemoteNpu = 1, kRemoteSwitch = 2 };

/// The entry points; all return 0 for success.
struct Library {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char *(*errorString)(int) = nullptr;
  int (*count)(unsigned *) = nullptr;
  int (*handle)(unsigned, Device *) = nullptr;
  int (*name)(Device, char *, unsigned) = nullptr;
  int (*pciInfo)(Device, PciInfo *) = nullptr;
  int (*linkState)(Device, unsigned, int *) = nullptr;
  int (*remotePci)(Device, unsigned, PciInfo *) = nullptr;
  int (*remoteType)(Device, unsigned, int *) = nullptr; ///< from driver 470
  // Use of a GPU; virtual ones do not report it.
  int (*utilization)(Device, Utilization *) = nullptr;
  int (*processes)(Device, unsigned *, void *) = nullptr;

  /// Whether the library exists and has all required functions.
  bool load() {
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return false;
    auto find = [&](auto &function, const char *symbol) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(
          dlsym(library, symbol));
      return function != nullptr;
    };
    (void)find(remoteType, "nvmlDeviceGetNvLinkRemoteDeviceType");
    (void)find(utilization, "nvmlDeviceGetUtilizationRates");
    (void)find(processes, "nvmlDeviceGetComputeRunningProcesses_v3");
    return find(init, "nvmlInit_v2") && find(shutdown, "nvmlShutdown") &&
           find(errorString, "nvmlErrorString") &&
           find(count, "nvmlDeviceGetCount_v2") &&
           find(handle, "nvmlDeviceGetHandleByIndex_v2") &&
           find(name, "nvmlDeviceGetName") &&
           find(pciInfo, "nvmlDeviceGetPciInfo_v3") &&
           find(linkState, "nvmlDeviceGetNvLinkState") &&
           find(remotePci, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
  }
};

/// Returns the GPUs' numbers by bus id.
std::map<std::string, int> gpusOf(const Inventory &inventory) {
  std::map<std::string, int> gpus;
  for (size_t gpu = 0; gpu < inventory.gpus.size(); ++gpu)
    gpus[inventory.devices[inventory.gpus[gpu].device].busId] =
        static_cast<int>(gpu);
  return gpus;
}

class Asker {
public:
  Asker(const Library &nvml, Inventory &inventory)
      : nvml_(nvml), inventory_(inventory), gpuOfBusId_(gpusOf(inventory)) {}
  void ask();

private:
  void askDevice(unsigned index);
  void askLinks(Device device, int gpu);
  /// Returns whether a call succeeded; adds a warning if not.
  bool check(int result, llvm::StringRef what) {
    if (result != 0)
      inventory_.notes.warn("NVML", what + ": " + nvml_.errorString(result));
    return result == 0;
  }

  const Library &nvml_;
  Inventory &inventory_;
  std::map<std::string, int> gpuOfBusId_;
};

} // namespace

void Asker::ask() {
  if (!check(nvml_.init(), "nvmlInit_v2"))
    return;
  auto end = llvm::make_scope_exit([&] { nvml_.shutdown(); });
  unsigned count = 0;
  if (check(nvml_.count(&count), "nvmlDeviceGetCount_v2"))
    for (unsigned index = 0; index < count; ++index)
      askDevice(index);
}

void Asker::askDevice(unsigned index) {
  Device device = nullptr;
  PciInfo pci = {};
  std::string what = "GPU " + std::to_string(index);
  if (!check(nvml_.handle(index, &device), what) ||
      !check(nvml_.pciInfo(device, &pci), what))
    return;
  pci.busId[sizeof pci.busId - 1] = 0;
  auto known = gpuOfBusId_.find(normalBusId(pci.busId));
  if (known == gpuOfBusId_.end()) {
    inventory_.notes.warn("NVML", what + " at " + pci.busId +
                                      " is not among the PCI devices; left "
                                      "out");
    return;
  }
  char name[96] = {};
  if (check(nvml_.name(device, name, sizeof name - 1), what))
    if (const GpuModel *model = gpuModelOfProduct(name))
      inventory_.gpus[known->second].model = model;
  askLinks(device, known->second);
}

void Asker::askLinks(Device device, int gpu) {
  const GpuDevice &entry = inventory_.gpus[gpu];
  std::map<int, int> counts; // by GPU; -1: switches
  int down = 0, npus = 0;
  for (unsigned link = 0; link < kMaxLinks; ++link) {
    int state = 0, type = -1;
    if (nvml_.linkState(device, link, &state) != 0)
      continue; // no such link
    if (!state) {
      ++down;
      continue;
    }
    PciInfo remote = {};
    if (nvml_.remotePci(device, link, &remote) != 0)
      continue;
    remote.busId[sizeof remote.busId - 1] = 0;
    if (nvml_.remoteType && nvml_.remoteType(device, link, &type) != 0)
      type = -1;
    auto other = gpuOfBusId_.find(normalBusId(remote.busId));
    if (other != gpuOfBusId_.end())
      ++counts[other->second];
    else if (type == kRemoteNpu)
      ++npus;
    else if (type == kRemoteGpu)
      inventory_.notes.warn(entry.where, "NVLink " + llvm::Twine(link) +
                                             " goes to " + remote.busId +
                                             ", which is not to be seen here");
    else // NVSwitch, or hidden from guests
      ++counts[-1];
  }
  if (down > 0)
    inventory_.notes.warn(entry.where, llvm::Twine(down) +
                                           " NVLinks are down, as nvidia-smi "
                                           "nvlink -s shows");
  for (auto [other, count] : counts) {
    PeerLinks links{gpu, other < 0 ? End::fabric : End::gpu, other, count};
    links.where = entry.where;
    inventory_.links.push_back(links);
  }
  if (npus > 0) { // POWER9
    int root = entry.device;
    while (inventory_.devices[root].parent >= 0)
      root = inventory_.devices[root].parent;
    PeerLinks links{gpu, End::cpu, inventory_.devices[root].numaNode, npus};
    links.where = entry.where;
    inventory_.links.push_back(links);
  }
}

bool blink::askNvml(Inventory &inventory) {
  Library nvml;
  if (!nvml.load())
    return false;
  Asker(nvml, inventory).ask();
  return true;
}

std::vector<GpuUse> blink::askGpuUse(const Inventory &inventory) {
  std::vector<GpuUse> uses;
  Library nvml;
  unsigned count = 0;
  if (!nvml.load() || nvml.init() != 0)
    return uses;
  auto end = llvm::make_scope_exit([&] { nvml.shutdown(); });
  const std::map<std::string, int> gpus = gpusOf(inventory);
  if (nvml.count(&count) != 0)
    return uses;
  for (unsigned index = 0; index < count; ++index) {
    Device device = nullptr;
    PciInfo pci = {};
    if (nvml.handle(index, &device) != 0 || nvml.pciInfo(device, &pci) != 0)
      continue;
    pci.busId[sizeof pci.busId - 1] = 0;
    auto known = gpus.find(normalBusId(pci.busId));
    if (known == gpus.end())
      continue;
    GpuUse use = {known->second, 0, 0};
    Utilization percent = {};
    if (nvml.utilization && nvml.utilization(device, &percent) == 0)
      use.percent = percent.gpu;
    // Without room for a list, the call sets the list's length and fails.
    if (nvml.processes)
      (void)nvml.processes(device, &use.processes, nullptr);
    uses.push_back(use);
  }
  return uses;
}
