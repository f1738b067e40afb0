//===- CudaDriver.h - the calls of CUDA's driver for copies -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The few required calls are declared here, like those of NVML, so that blinkc
// builds without CUDA's toolkit and runs without a driver.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PROBE_MEASURE_CUDADRIVER_H
#define BLINK_COMPILER_PROBE_MEASURE_CUDADRIVER_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <cstddef>

namespace blink::cuda {

// Opaque handles, as the driver's interface has them.
using Device = int;
using Context = void *;
using Stream = void *;
using Event = void *;
using Address = unsigned long long;

/// CUresult
enum Result : int {
  kSuccess = 0,
  kNotReady = 600,
  kPeerAccessAlreadyEnabled = 704,
};

inline constexpr unsigned kNonBlocking = 1; // CU_STREAM_NON_BLOCKING
inline constexpr unsigned kPortable = 1;    // CU_MEMHOSTREGISTER_PORTABLE

/// The entry points, under the driver's own names.
struct Driver {
  int (*cuInit)(unsigned);
  int (*cuDriverGetVersion)(int *);
  int (*cuGetErrorName)(int, const char **);
  int (*cuDeviceGetByPCIBusId)(Device *, const char *);
  int (*cuDeviceGetName)(char *, int, Device);
  int (*cuDeviceCanAccessPeer)(int *, Device, Device);
  int (*cuDevicePrimaryCtxRetain)(Context *, Device);
  int (*cuDevicePrimaryCtxRelease_v2)(Device);
  int (*cuCtxSetCurrent)(Context);
  int (*cuCtxEnablePeerAccess)(Context, unsigned);
  int (*cuMemAlloc_v2)(Address *, size_t);
  int (*cuMemFree_v2)(Address);
  int (*cuMemHostRegister_v2)(void *, size_t, unsigned);
  int (*cuMemHostUnregister)(void *);
  int (*cuMemcpyPeerAsync)(Address, Context, Address, Context, size_t, Stream);
  int (*cuMemcpyHtoDAsync_v2)(Address, const void *, size_t, Stream);
  int (*cuMemcpyDtoHAsync_v2)(void *, Address, size_t, Stream);
  int (*cuStreamCreate)(Stream *, unsigned);
  int (*cuStreamDestroy_v2)(Stream);
  int (*cuStreamWaitEvent)(Stream, Event, unsigned);
  int (*cuEventCreate)(Event *, unsigned);
  int (*cuEventDestroy_v2)(Event);
  int (*cuEventRecord)(Event, Stream);
  int (*cuEventQuery)(Event);
  int (*cuEventElapsedTime)(float *, Event, Event);

  /// Loads and initializes libcuda.so.1. Errors: there is none, it is too old,
  /// or it sees no GPU.
  static llvm::Expected<Driver> load();

  /// Returns success, or "CUDA: what: CUDA_ERROR_...".
  llvm::Error check(int result, const llvm::Twine &what) const;
};

} // namespace blink::cuda

#endif // BLINK_COMPILER_PROBE_MEASURE_CUDADRIVER_H
