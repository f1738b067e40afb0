//===- Abi.h - what programs built for NCCL pass and expect -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The types and numbers of NCCL's binary interface, 2.27 to 2.32, and the names
// of its functions. Programs have them compiled in, so they never change.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_NCCL_ABI_H
#define BLINK_RUNTIME_BINDINGS_NCCL_ABI_H

#include "runtime/blink.h"

#include <climits>
#include <cstddef>
#include <cstdint>

extern "C" {

typedef struct ncclComm *ncclComm_t;
typedef struct ncclWindow *ncclWindow_t;
typedef blinkStream_t ncclStream_t; // cudaStream_t

typedef struct {
  char internal[128];
} ncclUniqueId;

typedef enum {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7,
  ncclTimeout = 8
} ncclResult_t;

typedef int ncclDataType_t;        // numbers of blinkDataType_t
typedef int ncclRedOp_t;           // 0 to 4 are of blinkRedOp_t
typedef int ncclScalarResidence_t; // numbers of blinkScalarResidence_t

// Fields were added at the end: what lies behind `size` the program does not
// have. There are more than these; none of them means anything here.
typedef struct {
  size_t size;
  unsigned int magic;
  unsigned int version;
  int blocking;
} ncclConfig_t;

typedef struct {
  size_t size;
  unsigned int magic;
  unsigned int version;
  float estimatedTime;
} ncclSimInfo_t;

typedef struct {
  int nRanks, rank, stride;
} ncclTeam_t;

} // extern "C"

namespace blink::nccl {

constexpr unsigned kConfigMagic = 0xcafebeef;
constexpr unsigned kSimInfoMagic = 0x74685283;
constexpr unsigned kSimInfoVersion = 22700; ///< which has what is above
constexpr int kUndefined = INT_MIN;         ///< a field that was not set
constexpr int kNumOps = 5;                  ///< built-in ones

} // namespace blink::nccl

/// In front of a definition: an entry point, weak as NCCL's. NCCL_TWIN behind
/// it gives it its second name, by which profilers that put themselves in front
/// call the rest.
#define NCCL_ENTRY extern "C" __attribute__((visibility("default"), weak))
#define NCCL_TWIN(name)                                                        \
  extern "C" __attribute__((visibility("default"),                             \
                            alias(#name))) decltype(name) p##name;

#endif // BLINK_RUNTIME_BINDINGS_NCCL_ABI_H
