//===- HostDevice.h - functions for host and device -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_HOSTDEVICE_H
#define BLINK_RUNTIME_CORE_HOSTDEVICE_H

/// Before an inline host function: it is inlined wherever it is used, so there
/// is no other copy of it. Files that are compiled for several instruction sets
/// include such functions (host/FoldLoops.cpp), and one copy must not serve all
/// sets.
#define BLINK_ALWAYS_INLINE __attribute__((always_inline))

/// Before an inline function: nvcc compiles it for host and device.
#if defined(__CUDACC__)
#define BLINK_HOST_DEVICE __host__ __device__
#else
#define BLINK_HOST_DEVICE BLINK_ALWAYS_INLINE
#endif

/// BLINK_UNROLL and BLINK_ROLLED stand before a loop: on devices it is
/// unrolled, or remains a loop. BLINK_HOST_DEVICE_CALL stands before a function
/// for both, and BLINK_DEVICE_CALL before one for devices alone, which on
/// devices is called, not inlined. There are many kernels, so everything but
/// inner loops should be small. To other compilers device functions are plain
/// functions, for tests.
#if defined(__CUDACC__)
#define BLINK_UNROLL _Pragma("unroll")
#define BLINK_ROLLED _Pragma("unroll 1")
#define BLINK_HOST_DEVICE_CALL __host__ __device__ __noinline__
#define BLINK_DEVICE __device__
#define BLINK_DEVICE_CALL __device__ __noinline__
#else
#define BLINK_UNROLL
#define BLINK_ROLLED
#define BLINK_HOST_DEVICE_CALL BLINK_ALWAYS_INLINE
#define BLINK_DEVICE
#define BLINK_DEVICE_CALL
#endif

#endif // BLINK_RUNTIME_CORE_HOSTDEVICE_H
