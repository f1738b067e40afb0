//===- RankDevices.h - the devices of a job's ranks -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Whether the devices that ranks are on can serve a plan, and which GPUs of the
// machine they are.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_RANKDEVICES_H
#define BLINK_RUNTIME_CUDA_RANKDEVICES_H

#include "runtime/plan/Plan.h"

namespace blink::runtime {

/// Which GPU a rank has, as it tells other processes.
struct GpuPlace {
  char address[32]; ///< PCI, as CUDA has it
  int32_t number;   ///< the machine's; -1: sysfs does not tell
  int32_t device;   ///< CUDA's number in its process
};
Status placeOf(int device, GpuPlace &place);

/// The machine's numbers of the ranks' GPUs, where they can be told from PCI
/// addresses; otherwise CUDA's. Ranks that share a GPU try out a machine that
/// is not here: rank r is GPU r then. The same on all ranks. Errors: nothing
/// tells GPUs apart.
Status numberGpus(const std::vector<GpuPlace> &ranks, std::vector<int> &gpus);

/// Lets device `here` reach the memory of device `there`. Errors: it cannot.
Status enableAccess(int here, int there);

/// Lets devices of ranks that a peer channel joins reach each other's memory.
/// Errors: they cannot.
Status enablePeers(const Plan &plan, const std::vector<int> &devices);

/// Lanes wait for each other, so all of a device's must run at the same time.
/// `devices`: one for each rank in this process. Errors: they cannot.
Status checkResidency(const Plan &plan, const std::vector<int> &devices);

/// A rank's part of a GPU, as it tells other processes.
struct GpuShare {
  char uuid[16];          ///< of the GPU
  uint32_t lanes;         ///< of the rank
  uint32_t residentLanes; ///< that the GPU can run at the same time
};
Status shareOf(const Plan &plan, int device, GpuShare &share);
bool areOnOneGpu(const GpuShare &one, const GpuShare &other);

/// checkResidency() for the ranks of several processes, which see their own
/// only. `ofRanks`: whose shares these are. The same in all of them.
Status checkShares(const std::vector<GpuShare> &shares,
                   const std::vector<int> &ofRanks);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_RANKDEVICES_H
