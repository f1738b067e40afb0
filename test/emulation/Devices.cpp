//===- Devices.cpp - the properties of emulated devices -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The devices' properties, and which of them reach each other.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/Calls.h"
#include "test/emulation/CudaRuntime.h"
#include "test/emulation/Emulation.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace blink::test;

namespace {

bool areJoined(int device, int other) {
  return (device < emulatedMachine.peerBorder) ==
         (other < emulatedMachine.peerBorder);
}

int busOf(int device) {
  const std::vector<int> &buses = emulatedMachine.buses;
  return size_t(device) < buses.size() ? buses[size_t(device)] : device + 1;
}

std::mutex peersMutex;
/// Pairs of devices for which cudaDeviceEnablePeerAccess has been called.
std::set<std::pair<int, int>> enabledPeers;

/// Returns a device's share of the host's memory; all shares are equal.
size_t shareOf(int pages) {
  return size_t(sysconf(pages)) * size_t(sysconf(_SC_PAGESIZE)) /
         size_t(std::max(emulatedMachine.devices, 1));
}

} // namespace

namespace blink::test {

bool reaches(int device, int other) {
  return isDevice(device) && isDevice(other) && areJoined(device, other);
}

size_t totalBytes() { return shareOf(_SC_PHYS_PAGES); }
size_t freeBytes() {
  // Memory in the host's caches is free, too, so report at least half.
  return std::max(shareOf(_SC_AVPHYS_PAGES), totalBytes() / 2);
}

void forgetPeers(int device) {
  const std::lock_guard<std::mutex> lock(peersMutex);
  for (auto pair = enabledPeers.begin(); pair != enabledPeers.end();)
    pair = pair->first == device || pair->second == device
               ? enabledPeers.erase(pair)
               : std::next(pair);
}

} // namespace blink::test

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device) {
  const cudaError_t error = enter(__func__, kNothing);
  if (error != cudaSuccess)
    return error;
  if (!isDevice(device))
    return failed(cudaErrorInvalidDevice);
  if (!text || size < 13) // "0000:01:00.0" and its end
    return failed(cudaErrorInvalidValue);
  std::memset(text, 0, size_t(size));
  std::snprintf(text, size_t(size), "0000:%02X:00.0", unsigned(busOf(device)));
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
  const cudaError_t error = enter(__func__, kNothing);
  if (error != cudaSuccess)
    return error;
  if (!isDevice(device))
    return failed(cudaErrorInvalidDevice);
  cudaDeviceProp &all = *properties;
  all = {}; // all that the emulation lacks
  std::snprintf(all.name, sizeof(all.name), "Emulated GPU");
  char address[32] = {}; // unique per device, too
  std::snprintf(address, sizeof(address), "0000:%02X:00.0",
                unsigned(busOf(device)));
  std::memcpy(all.uuid.bytes, address, sizeof(all.uuid.bytes));
  all.pciBusID = busOf(device);
  all.totalGlobalMem = totalBytes();
  all.major = 8;
  all.minor = 0;
  all.multiProcessorCount = kEmulatedProcessors;
  all.maxBlocksPerMultiProcessor = 32;
  all.maxThreadsPerMultiProcessor = 2048;
  all.maxThreadsPerBlock = 1024;
  const int block[] = {1024, 1024, 64}, grid[] = {0x7fffffff, 65535, 65535};
  std::copy(block, block + 3, all.maxThreadsDim);
  std::copy(grid, grid + 3, all.maxGridSize);
  all.warpSize = 32;
  all.regsPerBlock = all.regsPerMultiprocessor = 65536;
  all.sharedMemPerBlock = kEmulatedSharedBytes;
  all.sharedMemPerBlockOptin = all.sharedMemPerMultiprocessor =
      kEmulatedSharedBytes;
  all.totalConstMem = 64 << 10;
  all.memPitch = 0x7fffffff;
  all.textureAlignment = 512;
  all.concurrentKernels = all.asyncEngineCount = 1;
  all.unifiedAddressing = all.canMapHostMemory = 1;
  all.hostRegisterSupported = all.memoryPoolsSupported = 1;
  all.memoryPoolSupportedHandleTypes = cudaMemHandleTypePosixFileDescriptor;
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  const cudaError_t error = enter(__func__, kNothing);
  if (error != cudaSuccess)
    return error;
  if (!isDevice(device) || !isDevice(peer) || device == peer)
    return failed(cudaErrorInvalidDevice);
  *can = areJoined(device, peer);
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  if (error != cudaSuccess)
    return error;
  const int device = currentDevice();
  if (flags != 0)
    return failed(cudaErrorInvalidValue);
  if (!isDevice(peer) || peer == device)
    return failed(cudaErrorInvalidDevice);
  if (!areJoined(device, peer))
    return failed(cudaErrorPeerAccessUnsupported);
  makeContext(peer);
  const std::lock_guard<std::mutex> lock(peersMutex);
  if (enabledPeers.count({device, peer}))
    return failed(cudaErrorPeerAccessAlreadyEnabled);
  if (std::count_if(enabledPeers.begin(), enabledPeers.end(), [&](auto &pair) {
        return pair.first == device;
      }) >= emulatedMachine.mostPeers)
    return failed(cudaErrorTooManyPeers);
  enabledPeers.emplace(device, peer);
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  const cudaError_t error = enter(__func__, kContext);
  *free = freeBytes();
  *total = totalBytes();
  return error;
}
