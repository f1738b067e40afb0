//===- Driver.h - functions of CUDA's driver --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What the CUDA runtime does not offer. The driver is in the process already,
// but its library is not there when this one is linked, and an older one may
// have fewer functions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_DRIVER_H
#define BLINK_RUNTIME_CUDA_DRIVER_H

#include "runtime/Status.h"
#include "runtime/cuda/MulticastApi.h"

namespace blink::runtime {

/// The address of a function of the driver's, or null. Driver.cpp; of emulated
/// devices test/emulation's.
void *driverSymbol(const char *name);

/// Whether this process has the driver, as all have that use CUDA.
bool driverIsLoaded();

template <typename Function> class DriverFunction;
/// One of the driver's functions; "not supported" where it has none.
template <typename... Parameters>
class DriverFunction<CUresult(Parameters...)> {
public:
  explicit DriverFunction(const char *name)
      : function_(
            reinterpret_cast<CUresult (*)(Parameters...)>(driverSymbol(name))) {
  }
  CUresult operator()(Parameters... parameters) const {
    return function_ ? function_(parameters...) : CUDA_ERROR_NOT_SUPPORTED;
  }

private:
  CUresult (*function_)(Parameters...);
};

#define BLINK_DRIVER_FUNCTIONS(X)                                              \
  X(cuCtxGetCurrent)                                                           \
  X(cuCtxPopCurrent)                                                           \
  X(cuCtxPushCurrent)                                                          \
  X(cuDeviceGet)                                                               \
  X(cuDeviceGetAttribute)                                                      \
  X(cuDevicePrimaryCtxRetain)                                                  \
  X(cuGetErrorString)                                                          \
  X(cuMemAddressFree)                                                          \
  X(cuMemAddressReserve)                                                       \
  X(cuMemCreate)                                                               \
  X(cuMemExportToShareableHandle)                                              \
  X(cuMemGetAccess)                                                            \
  X(cuMemGetAddressRange)                                                      \
  X(cuMemGetAllocationGranularity)                                             \
  X(cuMemGetAllocationPropertiesFromHandle)                                    \
  X(cuMemImportFromShareableHandle)                                            \
  X(cuMemMap)                                                                  \
  X(cuMemRelease)                                                              \
  X(cuMemRetainAllocationHandle)                                               \
  X(cuMemSetAccess)                                                            \
  X(cuMemUnmap)                                                                \
  X(cuMulticastAddDevice)                                                      \
  X(cuMulticastBindMem)                                                        \
  X(cuMulticastCreate)                                                         \
  X(cuMulticastGetGranularity)                                                 \
  X(cuMulticastUnbind)                                                         \
  X(cuPointerGetAttribute)

/// All of them. cuda.h gives some a version by a macro: so the names that are
/// asked for are those that the types belong to.
struct Driver {
#define BLINK_DRIVER_TEXT(name) #name
#define BLINK_DRIVER_MEMBER(name)                                              \
  DriverFunction<decltype(::name)> name{BLINK_DRIVER_TEXT(name)};
  BLINK_DRIVER_FUNCTIONS(BLINK_DRIVER_MEMBER)
#undef BLINK_DRIVER_MEMBER
};

inline const Driver &driver() {
  static const Driver functions;
  return functions;
}

/// Success, or "doing what: the driver's words".
inline Status driverStatus(CUresult result, const std::string &what) {
  if (result == CUDA_SUCCESS)
    return {};
  const char *words = nullptr;
  if (driver().cuGetErrorString(result, &words) != CUDA_SUCCESS || !words)
    words = "the driver is too old";
  return {result == CUDA_ERROR_OUT_OF_MEMORY ? blinkSystemError
                                             : blinkUnhandledCudaError,
          what + ": " + words};
}

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_DRIVER_H
