//===- cuda.h - the part of CUDA's driver that Blink uses -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Names and numbers as in NVIDIA's header of this name. The functions are those
// of test/emulation. For tests only.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_EMULATION_CUDA_H
#define BLINK_TEST_EMULATION_CUDA_H

#include <cstddef>

#define CUDA_VERSION 13000

enum CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_PERMITTED = 800,
  CUDA_ERROR_NOT_SUPPORTED = 801
};
enum CUpointer_attribute {
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE = 10,
  CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17
};
enum CUdevice_attribute {
  CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
  CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED = 110,
  CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED = 132
};
enum CUmemAllocationHandleType {
  CU_MEM_HANDLE_TYPE_NONE = 0,
  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
  CU_MEM_HANDLE_TYPE_MAX = 0x7fffffff // as there; other types are possible
};
enum CUmemAccess_flags {
  CU_MEM_ACCESS_FLAGS_PROT_NONE = 0,
  CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3
};
enum CUmemLocationType { CU_MEM_LOCATION_TYPE_DEVICE = 1 };
enum CUmemAllocationType { CU_MEM_ALLOCATION_TYPE_PINNED = 1 };
enum CUmemAllocationGranularity_flags {
  CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
  CU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1
};

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUmemGenericAllocationHandle = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmemoryPool = struct CUmemPoolHandle_st *;

struct CUmemLocation {
  CUmemLocationType type;
  int id;
};
struct CUmemAllocationProp {
  CUmemAllocationType type;
  CUmemAllocationHandleType requestedHandleTypes;
  CUmemLocation location;
  void *win32HandleMetaData;
  struct {
    unsigned char compressionType;
    unsigned char gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
  } allocFlags;
};
struct CUmemAccessDesc {
  CUmemLocation location;
  CUmemAccess_flags flags;
};

enum CUmulticastGranularity_flags {
  CU_MULTICAST_GRANULARITY_MINIMUM = 0,
  CU_MULTICAST_GRANULARITY_RECOMMENDED = 1
};
struct CUmulticastObjectProp {
  unsigned int numDevices;
  size_t size;
  unsigned long long handleTypes;
  unsigned long long flags;
};

#define cuMemGetAddressRange cuMemGetAddressRange_v2

CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuCtxPopCurrent(CUcontext *context);
CUresult cuCtxPushCurrent(CUcontext context);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice device);
CUresult cuGetErrorString(CUresult result, const char **words);
CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes);
CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes,
                             size_t alignment, CUdeviceptr wish,
                             unsigned long long flags);
CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *properties,
                     unsigned long long flags);
CUresult cuMemExportToShareableHandle(void *shared,
                                      CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type,
                                      unsigned long long flags);
CUresult cuMemGetAccess(unsigned long long *flags,
                        const CUmemLocation *location, CUdeviceptr address);
CUresult cuMemGetAddressRange(CUdeviceptr *begin, size_t *bytes,
                              CUdeviceptr address);
CUresult cuMemGetAllocationGranularity(size_t *bytes,
                                       const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags flags);
CUresult
cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
                                       CUmemGenericAllocationHandle handle);
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle,
                                        void *shared,
                                        CUmemAllocationHandleType type);
CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle,
                  unsigned long long flags);
CUresult cuMemRelease(CUmemGenericAllocationHandle handle);
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle,
                                     void *address);
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes,
                        const CUmemAccessDesc *access, size_t count);
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes);
CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle object,
                              CUdevice device);
CUresult cuMulticastBindMem(CUmemGenericAllocationHandle object,
                            size_t objectOffset,
                            CUmemGenericAllocationHandle memory,
                            size_t memoryOffset, size_t bytes,
                            unsigned long long flags);
CUresult cuMulticastCreate(CUmemGenericAllocationHandle *object,
                           const CUmulticastObjectProp *properties);
CUresult cuMulticastGetGranularity(size_t *bytes,
                                   const CUmulticastObjectProp *properties,
                                   CUmulticastGranularity_flags flags);
CUresult cuMulticastUnbind(CUmemGenericAllocationHandle object, CUdevice device,
                           size_t offset, size_t bytes);
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute,
                               CUdeviceptr address);

#endif // BLINK_TEST_EMULATION_CUDA_H
