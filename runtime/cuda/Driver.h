//===- Driver.h - functions of CUDA's driver --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Functions that the CUDA runtime lacks. They are looked up in the driver,
// which is in the process already: its library need not be present when this
// one is linked, and an older driver may have fewer functions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_DRIVER_H
#define BLINK_RUNTIME_CUDA_DRIVER_H

#include "runtime/Status.h"
#include "runtime/cuda/MulticastApi.h"

namespace blink::runtime {

/// Returns the address of a function of the driver, or null. Defined in
/// Driver.cpp, and for emulated devices in test/emulation.
void *driverSymbol(const char *name);

/// Returns true if the driver is loaded into this process, as it is into all
/// processes that use CUDA.
bool driverIsLoaded();

template <typename Function> class DriverFunction;
/// A function of the driver; it returns "not supported" if the driver lacks it.
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

/// All of them. cuda.h gives some functions a versioned name by a macro;
/// BLINK_DRIVER_TEXT expands it, so each name asked for is the one that the
/// type belongs to.
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

/// Returns success, or "doing what: the driver's words".
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
