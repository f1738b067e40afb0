//===- HostDevice.h - one macro decides host or device ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CORE_HOSTDEVICE_H
#define BLINK_RUNTIME_CORE_HOSTDEVICE_H

/// Before an inline function: it compiles for both, when the compiler is nvcc.
/// Elsewhere it is always inlined, because files that are compiled for several
/// instruction sets include it (host/FoldLoops.cpp), and one copy of the
/// function must not serve all of them.
#if defined(__CUDACC__)
#define BLINK_HOST_DEVICE __host__ __device__
#else
#define BLINK_HOST_DEVICE __attribute__((always_inline))
#endif

#endif // BLINK_RUNTIME_CORE_HOSTDEVICE_H
