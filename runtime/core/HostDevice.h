//===- HostDevice.h - one macro decides host or device ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_HOSTDEVICE_H
#define BLINK_RUNTIME_CORE_HOSTDEVICE_H

/// Before a function: it compiles for both, when the compiler is nvcc.
#if defined(__CUDACC__)
#define BLINK_HOST_DEVICE __host__ __device__
#else
#define BLINK_HOST_DEVICE
#endif

#endif // BLINK_RUNTIME_CORE_HOSTDEVICE_H
