//===- RankDevices.h - the devices of a job's ranks -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Checks whether the devices of the ranks can serve a plan, and finds out which
// GPUs of the machine they are.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_RANKDEVICES_H
#define BLINK_RUNTIME_CUDA_RANKDEVICES_H

#include "runtime/plan/Plan.h"

#include <map>

namespace blink::runtime {

/// The GPU of a rank, in terms that other processes understand.
struct GpuPlace {
  char address[32]; ///< PCI address, as CUDA writes it
  int32_t number;   ///< number in the machine; -1: sysfs does not tell
  int32_t device;   ///< CUDA's number in its process
};
Status placeOf(int device, GpuPlace &place);

/// Sets `gpus` to the machine's numbers of the ranks' GPUs if their PCI
/// addresses tell them, else to CUDA's. If ranks share a GPU, they try out a
/// machine that is not this one: then rank r is GPU r. All ranks get the same
/// result. Errors: nothing tells the GPUs apart.
Status numberGpus(const std::vector<GpuPlace> &ranks, std::vector<int> &gpus);

/// Lets device `here` reach the memory of device `there`. Errors: it cannot.
Status enableAccess(int here, int there);

/// Lets devices of ranks that a peer channel joins reach each other's memory.
/// Errors: they cannot.
Status enablePeers(const Plan &plan, const std::vector<int> &devices);

/// Checks that all lanes of collectives on each device can run at the same
/// time, which they must because they wait for each other; for those of
/// messages see CudaBackendRoom.cpp. `devices` has one entry for each rank in
/// this process. Sets `residentOn` to how many lanes can. Errors: not enough.
Status checkResidency(const Plan &plan, const std::vector<int> &devices,
                      std::map<int, uint32_t> &residentOn);

/// A rank's share of a GPU, in terms that other processes understand.
struct GpuShare {
  char uuid[16];          ///< UUID of the GPU
  uint32_t lanes;         ///< number of the rank's lanes
  uint32_t residentLanes; ///< lanes that the GPU can run at the same time
};
Status shareOf(const Plan &plan, int device, GpuShare &share);
bool areOnOneGpu(const GpuShare &one, const GpuShare &other);

/// Does what checkResidency() does for ranks of several processes, each of
/// which sees only its own devices. `ofRanks` says which rank each share is of.
/// All processes get the same result.
Status checkShares(const std::vector<GpuShare> &shares,
                   const std::vector<int> &ofRanks);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_RANKDEVICES_H
