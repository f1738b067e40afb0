//===- HostDevice.h - one macro decides host or device ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_HOSTDEVICE_H
#define BLINK_RUNTIME_CORE_HOSTDEVICE_H

/// Before an inline host function: there is no copy of it but where it is used.
/// Files that are compiled for several instruction sets include what has it
/// (host/FoldLoops.cpp), and one copy must not serve all of them.
#define BLINK_ALWAYS_INLINE __attribute__((always_inline))

/// Before an inline function: it compiles for both, when the compiler is nvcc.
#if defined(__CUDACC__)
#define BLINK_HOST_DEVICE __host__ __device__
#else
#define BLINK_HOST_DEVICE BLINK_ALWAYS_INLINE
#endif

/// Before a loop: unrolled on devices, or left a loop. Before a function of
/// both (BLINK_HOST_DEVICE_CALL) or of devices alone (BLINK_DEVICE_CALL):
/// called on devices, not inlined. There are many kernels: what is no inner
/// loop should be small. Device functions are plain functions to other
/// compilers, for tests.
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
