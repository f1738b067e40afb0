//===- RankDevices.cpp - the devices of a job's ranks ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/RankDevices.h"

#include "runtime/cuda/DeviceMemory.h"
#include "runtime/cuda/Kernels.h"
#include "runtime/cuda/MachineGpus.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace blink::runtime {

Status findGpus(const std::vector<int> &devices, std::vector<int> &gpus) {
  std::vector<std::string> addresses;
  for (int device : devices) {
    char address[32] = "";
    Status status = cudaStatus(
        cudaDeviceGetPCIBusId(address, sizeof(address), device),
        "cannot ask for the PCI address of GPU " + std::to_string(device));
    if (!status.ok())
      return status;
    addresses.push_back(address);
  }
  gpus = machineNumbers(addresses, machineGpus(sysfsRoot));
  if (gpus.empty())
    gpus = devices;
  std::vector<int> sorted = gpus;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    std::iota(gpus.begin(), gpus.end(), 0);
  return {};
}

Status enableAccess(int here, int there) {
  if (here == there)
    return {};
  int can = 0;
  Status status = cudaStatus(cudaDeviceCanAccessPeer(&can, here, there),
                             "cannot ask for peer access");
  if (!status.ok())
    return status;
  if (!can)
    return {blinkInvalidUsage,
            "the schedule has a channel between GPU " + std::to_string(here) +
                " and GPU " + std::to_string(there) +
                ", which cannot access each other's memory here: compile one "
                "for this machine (`nvidia-smi topo -p2p r`)"};
  DeviceScope scope(here);
  const cudaError_t error = cudaDeviceEnablePeerAccess(there, 0);
  if (error != cudaErrorPeerAccessAlreadyEnabled)
    return cudaStatus(error, "cannot enable peer access");
  cudaGetLastError();
  return {};
}

Status enablePeers(const Plan &plan, const std::vector<int> &devices) {
  for (const RingPlan &ring : plan.rings) {
    const int from = devices[ring.source];
    const int to = devices[ring.destination];
    if (ring.kind != sched::ChannelKind::peer)
      continue;
    // Both ways: data one way, credits the other.
    Status status = enableAccess(from, to);
    if (status.ok())
      status = enableAccess(to, from);
    if (!status.ok())
      return status;
  }
  return {};
}

Status checkResidency(const Plan &plan, const std::vector<int> &devices) {
  if (plan.numOperands > kMaxOperands)
    return {blinkInvalidUsage, "the schedule has a step of " +
                                   std::to_string(plan.numOperands) +
                                   " operands, a lane on a GPU holds " +
                                   std::to_string(kMaxOperands)};
  std::map<int, uint32_t> ranksOn;
  for (int device : devices)
    ++ranksOn[device];
  for (auto [device, ranks] : ranksOn) {
    if (ranks > kMaxLaunchRanks)
      return {blinkInvalidUsage, std::to_string(ranks) + " ranks are on GPU " +
                                     std::to_string(device) + ", which runs " +
                                     std::to_string(kMaxLaunchRanks) +
                                     " together"};
    const uint32_t needed = ranks * plan.numLanes;
    DeviceScope scope(device);
    uint32_t resident = 0;
    Status status =
        cudaStatus(prepareLanes(resident), "cannot load the kernels");
    if (!status.ok())
      return status;
    if (needed > resident)
      return {blinkInvalidUsage,
              "the ranks on GPU " + std::to_string(device) + " have " +
                  std::to_string(needed) + " lanes, " +
                  std::to_string(resident) +
                  " can run there at the same time: compile with fewer lanes"};
  }
  return {};
}

} // namespace blink::runtime
