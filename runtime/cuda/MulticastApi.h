//===- MulticastApi.h - cuda.h, with its multicast objects ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Toolkits before CUDA 12.1 do not declare multicast objects. The driver's
// functions are looked up by name (Driver.h), so only the declarations are
// missing.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_MULTICASTAPI_H
#define BLINK_RUNTIME_CUDA_MULTICASTAPI_H

#include <cuda.h>

#if CUDA_VERSION < 12010

struct CUmulticastObjectProp {
  unsigned int numDevices;
  size_t size;
  unsigned long long handleTypes;
  unsigned long long flags;
};
enum CUmulticastGranularity_flags { CU_MULTICAST_GRANULARITY_MINIMUM = 0 };
constexpr auto CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED =
    CUdevice_attribute(132);

extern "C" {
CUresult cuMulticastCreate(CUmemGenericAllocationHandle *,
                           const CUmulticastObjectProp *);
CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle, CUdevice);
CUresult cuMulticastBindMem(CUmemGenericAllocationHandle, size_t,
                            CUmemGenericAllocationHandle, size_t, size_t,
                            unsigned long long);
CUresult cuMulticastUnbind(CUmemGenericAllocationHandle, CUdevice, size_t,
                           size_t);
CUresult cuMulticastGetGranularity(size_t *, const CUmulticastObjectProp *,
                                   CUmulticastGranularity_flags);
}

#endif

#endif // BLINK_RUNTIME_CUDA_MULTICASTAPI_H
