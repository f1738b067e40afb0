//===- Abi.h - NCCL's binary interface --------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The types and numbers of NCCL's binary interface, 2.27 to 2.32, and the names
// of its functions. They are compiled into programs, so they never change.
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

// Later versions appended fields: a program has only those within `size` bytes.
// NCCL has more fields than these; none of the others means anything to Blink.
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
constexpr unsigned kSimInfoVersion = 22700; ///< the version that has the fields
                                            ///< above
constexpr int kUndefined = INT_MIN;         ///< a field that was not set
constexpr int kNumOps = 5;                  ///< built-in operators

} // namespace blink::nccl

/// NCCL_ENTRY precedes the definition of an entry point; the symbol is weak, as
/// in NCCL. NCCL_TWIN follows the definition and adds its second name, by which
/// profilers that interpose themselves call the original.
#define NCCL_ENTRY extern "C" __attribute__((visibility("default"), weak))
#define NCCL_TWIN(name)                                                        \
  extern "C" __attribute__((visibility("default"),                             \
                            alias(#name))) decltype(name) p##name;

#endif // BLINK_RUNTIME_BINDINGS_NCCL_ABI_H
