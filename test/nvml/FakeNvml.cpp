//===- FakeNvml.cpp - NVIDIA's management library, faked ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Answers like a machine described by a text file, BLINK_FAKE_NVML:
//
//   gpu 00000000:06:00.0 Tesla V100-SXM2-16GB
//   link 00000000:07:00.0 gpu     the next link of the last GPU; or switch, npu
//   link - down
//   use 37 2                      percent and processes of the last GPU
//
// Stricter than the real library: a call before nvmlInit, or with an invalid
// GPU or link, is an error. A process that has not called nvmlShutdown as often
// as nvmlInit ends with SIGABRT.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

enum : int {
  kSuccess = 0,
  kUninitialized = 1,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kInsufficientSize = 7,
  kDriverNotLoaded = 9,
};

struct Link {
  std::string remote, type;
};

struct Gpu {
  std::string busId, name;
  std::vector<Link> links;
  unsigned percent = 0, processes = 0;
};

struct PciInfo {
  char busIdLegacy[16];
  unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
};

class Machine {
public:
  ~Machine() {
    if (users != 0)
      abort();
  }
  int read() {
    const char *path = std::getenv("BLINK_FAKE_NVML");
    std::ifstream file(path ? path : "");
    if (!file)
      return kDriverNotLoaded;
    gpus.clear();
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string what, busId, rest;
      words >> what >> busId;
      std::getline(words >> std::ws, rest);
      if (what == "gpu")
        gpus.push_back({busId, rest, {}, 0, 0});
      else if (what == "link")
        gpus.back().links.push_back({busId, rest});
      else if (what == "use") {
        gpus.back().percent = unsigned(std::stoul(busId));
        gpus.back().processes = unsigned(std::stoul(rest));
      }
    }
    return kSuccess;
  }

  int users = 0;
  std::vector<Gpu> gpus;
} machine;

/// Returns the GPU of a handle, which is the GPU's number plus 1, so that no
/// handle is null.
const Gpu *gpuOf(void *device) {
  size_t number = reinterpret_cast<size_t>(device);
  return machine.users > 0 && number >= 1 && number <= machine.gpus.size()
             ? &machine.gpus[number - 1]
             : nullptr;
}

/// Returns a link of a GPU, or null if there is no such link or the link is not
/// valid.
const Link *linkOf(void *device, unsigned link) {
  const Gpu *gpu = gpuOf(device);
  return gpu && link < gpu->links.size() ? &gpu->links[link] : nullptr;
}

void fill(PciInfo *pci, const std::string &busId) {
  std::memset(pci, 0xff, sizeof *pci);
  std::snprintf(pci->busId, sizeof pci->busId, "%s", busId.c_str());
}

} // namespace

extern "C" {

int nvmlInit_v2() {
  int result = machine.users == 0 ? machine.read() : kSuccess;
  machine.users += result == kSuccess;
  return result;
}

int nvmlShutdown() {
  if (machine.users == 0)
    return kUninitialized;
  --machine.users;
  return kSuccess;
}

const char *nvmlErrorString(int result) {
  return result == kDriverNotLoaded ? "Driver Not Loaded"
         : result == kNotSupported  ? "Not Supported"
                                    : "Invalid Argument";
}

int nvmlDeviceGetCount_v2(unsigned *count) {
  if (machine.users == 0)
    return kUninitialized;
  *count = static_cast<unsigned>(machine.gpus.size());
  return kSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
  if (index >= machine.gpus.size())
    return kInvalidArgument;
  *device = reinterpret_cast<void *>(size_t(index) + 1);
  return kSuccess;
}

int nvmlDeviceGetName(void *device, char *name, unsigned length) {
  const Gpu *gpu = gpuOf(device);
  if (!gpu || gpu->name.size() >= length)
    return kInvalidArgument;
  std::strcpy(name, gpu->name.c_str());
  return kSuccess;
}

int nvmlDeviceGetPciInfo_v3(void *device, PciInfo *pci) {
  const Gpu *gpu = gpuOf(device);
  if (!gpu)
    return kInvalidArgument;
  fill(pci, gpu->busId);
  return kSuccess;
}

int nvmlDeviceGetUtilizationRates(void *device, unsigned *percents) {
  const Gpu *gpu = gpuOf(device);
  if (!gpu)
    return kInvalidArgument;
  percents[0] = gpu->percent;
  percents[1] = 0; // memory use
  return kSuccess;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count,
                                            void *list) {
  const Gpu *gpu = gpuOf(device);
  if (!gpu || list) // no caller asks for the list
    return kInvalidArgument;
  const bool hasRoom = *count >= gpu->processes;
  *count = gpu->processes;
  return hasRoom ? kSuccess : kInsufficientSize;
}

int nvmlDeviceGetNvLinkState(void *device, unsigned link, int *isActive) {
  const Link *found = linkOf(device, link);
  if (!found)
    return gpuOf(device) ? kNotSupported : kInvalidArgument;
  *isActive = found->type != "down";
  return kSuccess;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(void *device, unsigned link,
                                        PciInfo *pci) {
  const Link *found = linkOf(device, link);
  if (!found || found->type == "down")
    return kInvalidArgument;
  fill(pci, found->remote);
  return kSuccess;
}

int nvmlDeviceGetNvLinkRemoteDeviceType(void *device, unsigned link,
                                        int *type) {
  const Link *found = linkOf(device, link);
  if (!found || found->type == "down")
    return kInvalidArgument;
  *type = found->type == "gpu" ? 0 : found->type == "npu" ? 1 : 2;
  return kSuccess;
}

} // extern "C"
