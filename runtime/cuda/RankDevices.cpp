//===- RankDevices.cpp - the devices of a job's ranks ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/RankDevices.h"

#include "runtime/cuda/DeviceMemory.h"
#include "runtime/cuda/DeviceTransport.h"
#include "runtime/cuda/Kernels.h"
#include "runtime/cuda/MachineGpus.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace blink::runtime {

Status placeOf(int device, GpuPlace &place) {
  place = {};
  Status status = cudaStatus(
      cudaDeviceGetPCIBusId(place.address, sizeof(place.address), device),
      "cannot ask for the PCI address of GPU ", device);
  if (!status.ok())
    return status;
  const std::vector<int> numbers =
      machineNumbers({place.address}, machineGpus(sysfsRoot));
  place.number = numbers.empty() ? -1 : numbers[0];
  place.device = device;
  return {};
}

Status numberGpus(const std::vector<GpuPlace> &ranks, std::vector<int> &gpus) {
  bool shared = false, listed = true;
  for (size_t r = 0; r < ranks.size(); ++r) {
    listed &= ranks[r].number >= 0;
    for (size_t other = 0; other < r; ++other)
      shared |= std::strcmp(ranks[r].address, ranks[other].address) == 0;
  }
  gpus.resize(ranks.size());
  if (shared) {
    std::iota(gpus.begin(), gpus.end(), 0);
    return {};
  }
  for (size_t r = 0; r < ranks.size(); ++r) {
    gpus[r] = listed ? ranks[r].number : ranks[r].device;
    for (size_t other = 0; other < r; ++other)
      if (gpus[other] == gpus[r])
        return Status(blinkInvalidUsage, "the GPUs of rank ", other,
                      " and rank ", r, ", at ", ranks[other].address, " and ",
                      ranks[r].address, ", are both number ", gpus[r],
                      " to their processes, and /sys/bus/pci/devices does not "
                      "tell: set blinkConfig_t::gpus");
  }
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
    return Status(blinkInvalidUsage, "the schedule has a channel between GPU ",
                  here, " and GPU ", there,
                  ", which cannot access each other's memory here: compile one "
                  "for this machine (`nvidia-smi topo -p2p r`)");
  DeviceScope scope(here);
  const cudaError_t error = cudaDeviceEnablePeerAccess(there, 0);
  if (error == cudaErrorTooManyPeers) {
    cudaGetLastError();
    return Status(blinkInvalidUsage, "GPU ", here, " cannot reach GPU ", there,
                  ", too: without an NVSwitch a GPU reaches 8 others. Compile "
                  "with fewer neighbours, or with channels through the host");
  }
  if (error != cudaErrorPeerAccessAlreadyEnabled)
    return cudaStatus(error, "cannot enable peer access");
  cudaGetLastError();
  return {};
}

Status enablePeers(const Plan &plan, const std::vector<int> &devices) {
  for (const RingPlan &ring : plan.rings) {
    const int from = devices[ring.source];
    const int to = devices[ring.destination];
    if (!deviceTransportOf(ring).reaches)
      continue;
    // Both ways: data goes one way, credits go the other.
    Status status = enableAccess(from, to);
    if (status.ok())
      status = enableAccess(to, from);
    if (!status.ok())
      return status;
  }
  return {};
}

namespace {

Status residentLanes(int device, uint32_t &resident) {
  const DeviceScope scope(device);
  return cudaStatus(prepareLanes(resident), "cannot load the kernels");
}

} // namespace

Status checkResidency(const Plan &plan, const std::vector<int> &devices,
                      std::map<int, uint32_t> &residentOn) {
  if (plan.numOperands > kMaxOperands)
    return Status(blinkInvalidUsage, "the schedule has a step of ",
                  plan.numOperands, " operands, a lane on a GPU holds ",
                  kMaxOperands);
  std::map<int, uint32_t> ranksOn;
  for (int device : devices)
    ++ranksOn[device];
  for (auto [device, ranks] : ranksOn) {
    if (ranks > kMaxLaunchRanks)
      return Status(blinkInvalidUsage, ranks, " ranks are on GPU ", device,
                    ", which runs ", kMaxLaunchRanks, " together");
    const uint32_t needed = ranks * plan.numLanes;
    uint32_t &resident = residentOn[device];
    Status status = residentLanes(device, resident);
    if (!status.ok())
      return status;
    if (needed > resident)
      return Status(
          blinkInvalidUsage, "the ranks on GPU ", device, " have ", needed,
          " lanes, ", resident,
          " can run there at the same time: compile with fewer lanes");
  }
  return {};
}

Status shareOf(const Plan &plan, int device, GpuShare &share) {
  cudaDeviceProp properties;
  Status status = cudaStatus(cudaGetDeviceProperties(&properties, device),
                             "cannot ask for the UUID of GPU ", device);
  std::memcpy(share.uuid, properties.uuid.bytes, sizeof(share.uuid));
  share.lanes = plan.numLanes;
  return status.ok() ? residentLanes(device, share.residentLanes) : status;
}

bool areOnOneGpu(const GpuShare &one, const GpuShare &other) {
  return std::memcmp(one.uuid, other.uuid, sizeof(one.uuid)) == 0;
}

Status checkShares(const std::vector<GpuShare> &shares,
                   const std::vector<int> &ofRanks) {
  for (const GpuShare &one : shares) {
    uint32_t lanes = 0;
    std::string ranks;
    for (size_t rank = 0; rank < shares.size(); ++rank)
      if (areOnOneGpu(one, shares[rank])) {
        lanes += shares[rank].lanes;
        ranks += (ranks.empty() ? "" : ",") + std::to_string(ofRanks[rank]);
      }
    if (lanes > one.residentLanes)
      return Status(blinkInvalidUsage, "ranks ", ranks,
                    " are on one GPU and have ", lanes, " lanes together, ",
                    one.residentLanes,
                    " can run there at the same time: give them GPUs of their "
                    "own, or compile with fewer lanes");
  }
  return {};
}

} // namespace blink::runtime
