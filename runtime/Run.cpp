//===- Run.cpp - calls go to their back ends ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The one place that knows which back ends are built in.
//
//===----------------------------------------------------------------------===//

#include "runtime/Run.h"

#include "runtime/host/Drive.h"
#include "runtime/job/SharedBlocks.h"
#if BLINK_HAVE_CUDA
#include "runtime/cuda/CudaMachine.h"
#include "runtime/cuda/DeviceBlock.h"
#endif

#include <numeric>

namespace blink::runtime {
namespace {

/// Hands the calls from index `begin` on that have its machine to it, together.
void launchTogether(PendingCall *calls, size_t numCalls, size_t begin) {
#if BLINK_HAVE_CUDA
  auto &machine = static_cast<CudaMachine &>(*calls[begin].machine);
  std::vector<Call *> own;
  for (size_t i = begin; i < numCalls; ++i)
    if (calls[i].machine == calls[begin].machine)
      own.push_back(&calls[i].call);
  Status status = machine.launch(own.data(), own.size());
  for (size_t i = begin; i < numCalls; ++i)
    if (calls[i].machine == calls[begin].machine)
      calls[i].result = status;
#endif
}

bool isFirstOfMachine(const PendingCall *calls, size_t index) {
  for (size_t i = 0; i < index; ++i)
    if (calls[i].machine == calls[index].machine)
      return false;
  return true;
}

#if !BLINK_HAVE_CUDA
Status noCuda() {
  return {blinkInvalidUsage,
          "this build of Blink has no CUDA back end: use blinkBackendHost"};
}
#endif

/// A new machine, if it has been made, with where it comes from.
Status made(const Status &status, std::shared_ptr<Machine> machine,
            Origin origin, std::shared_ptr<Machine> &result) {
  if (status.ok()) {
    machine->origin = std::move(origin);
    result = std::move(machine);
  }
  return status;
}

} // namespace

void runCalls(PendingCall *calls, size_t numCalls) {
  if (numCalls == 1 && calls[0].machine->backend() == blinkBackendHost) {
    HostCall only{
        static_cast<HostMachine *>(calls[0].machine.get()), &calls[0].call, {}};
    drive(&only, 1);
    calls[0].result = std::move(only.result);
    return;
  }
  std::vector<HostCall> onHost;
  onHost.reserve(numCalls);
  for (size_t i = 0; i < numCalls; ++i) {
    if (calls[i].machine->backend() == blinkBackendHost)
      onHost.push_back({static_cast<HostMachine *>(calls[i].machine.get()),
                        &calls[i].call,
                        {}});
    else if (isFirstOfMachine(calls, i))
      launchTogether(calls, numCalls, i);
  }
  if (onHost.empty())
    return;
  drive(onHost.data(), onHost.size());
  size_t next = 0;
  for (size_t i = 0; i < numCalls; ++i)
    if (calls[i].machine->backend() == blinkBackendHost)
      calls[i].result = std::move(onHost[next++].result);
}

Status makeMachine(const ScheduleSet &files, int numRanks, const int *devices,
                   const MachineOptions &options,
                   std::shared_ptr<Machine> &result) {
  if (options.backend == blinkBackendHost) {
    if (devices)
      return {blinkInvalidArgument,
              "devices are for GPUs: pass NULL to the host back end"};
    std::shared_ptr<HostMachine> machine;
    Status status = HostMachine::createAll(files, numRanks, options, machine);
    return made(status, std::move(machine), {-1, {}, options.timeout}, result);
  }
#if BLINK_HAVE_CUDA
  std::shared_ptr<CudaMachine> machine;
  std::vector<int> list(numRanks);
  std::iota(list.begin(), list.end(), 0);
  if (devices)
    list.assign(devices, devices + numRanks);
  Status status =
      CudaMachine::createAll(files, numRanks, devices, options, machine);
  return made(status, std::move(machine),
              {-1, std::move(list), options.timeout}, result);
#else
  return noCuda();
#endif
}

Status joinMachine(const ScheduleSet &files, int numRanks,
                   const blinkUniqueId &id, int rank, int device,
                   const MachineOptions &options,
                   std::shared_ptr<Machine> &result) {
  if (options.backend == blinkBackendHost) {
    if (device != -1)
      return {blinkInvalidArgument,
              "a device is for GPUs: pass -1 to the host back end"};
    std::shared_ptr<HostMachine> machine;
    Status status =
        HostMachine::join(files, numRanks, id, rank, options, machine);
    return made(status, std::move(machine), {rank, {}, options.timeout},
                result);
  }
#if BLINK_HAVE_CUDA
  std::shared_ptr<CudaMachine> machine;
  Status status =
      CudaMachine::join(files, numRanks, id, rank, device, options, machine);
  return made(status, std::move(machine),
              {rank, std::vector<int>(numRanks, device), options.timeout},
              result);
#else
  return noCuda();
#endif
}

Status allocateMemory(size_t bytes, void *&memory) {
#if BLINK_HAVE_CUDA
  if (isOnDevice()) {
    std::shared_ptr<char> onDevice;
    Status status = allocateOnDevice(bytes, onDevice);
    memory = onDevice.get();
    if (status.ok())
      adoptBlock(std::move(onDevice), bytes);
    return status;
  }
#endif
  return allocateBlock(bytes, memory);
}

} // namespace blink::runtime
