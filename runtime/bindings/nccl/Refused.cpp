//===- Refused.cpp - functions that Blink does not serve ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Programs look up names when they start, whether or not they call them. These
// functions report an error when they are called; they are declared without
// parameters, because they read no argument.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/nccl/Errors.h"

using namespace blink::nccl;

namespace {

ncclResult_t notServed(const char *name) {
  return fail(ncclInvalidUsage,
              std::string(name) +
                  " is not served by Blink: docs/nccl.md lists what is, and "
                  "BLINK_NCCL_FALLBACK serves communicators as a whole");
}

} // namespace

#define NCCL_REFUSED(name)                                                     \
  NCCL_ENTRY ncclResult_t name() { return notServed(#name); }                  \
  NCCL_TWIN(name)

// Communicators that grow, or return their memory.
NCCL_REFUSED(ncclCommGetUniqueId)
NCCL_REFUSED(ncclCommGrow)
NCCL_REFUSED(ncclCommSuspend)
NCCL_REFUSED(ncclCommResume)
NCCL_REFUSED(ncclSetEncryption)

// The caller's own kernels that communicate.
NCCL_REFUSED(ncclCommQueryProperties)
NCCL_REFUSED(ncclDevCommCreate)
NCCL_REFUSED(ncclDevCommDestroy)
NCCL_REFUSED(ncclGetCftDeviceLeInfo)
NCCL_REFUSED(ncclGetLsaDevicePointer)
NCCL_REFUSED(ncclGetLsaMultimemDevicePointer)
NCCL_REFUSED(ncclGetMultimemDeviceLeInfo)
NCCL_REFUSED(ncclGetMultimemDevicePointer)
NCCL_REFUSED(ncclGetPeerDeviceLeInfo)
NCCL_REFUSED(ncclGetPeerDevicePointer)
NCCL_REFUSED(ncclGinBarrierCreateRequirement)
NCCL_REFUSED(ncclGinInboxA2ACreateRequirement)
NCCL_REFUSED(ncclGinOutboxCreateRequirement)
NCCL_REFUSED(ncclLLA2ACreateRequirement)
NCCL_REFUSED(ncclLsaBarrierCreateRequirement)

// Access to windows of other ranks.
NCCL_REFUSED(ncclPutSignal)
NCCL_REFUSED(ncclSignal)
NCCL_REFUSED(ncclWaitSignal)

// NCCL's own settings.
NCCL_REFUSED(ncclParamBind)
NCCL_REFUSED(ncclParamDumpAll)
NCCL_REFUSED(ncclParamGet)
NCCL_REFUSED(ncclParamGetAllParameterKeys)
NCCL_REFUSED(ncclParamGetI16)
NCCL_REFUSED(ncclParamGetI32)
NCCL_REFUSED(ncclParamGetI64)
NCCL_REFUSED(ncclParamGetI8)
NCCL_REFUSED(ncclParamGetParameter)
NCCL_REFUSED(ncclParamGetStr)
NCCL_REFUSED(ncclParamGetU16)
NCCL_REFUSED(ncclParamGetU32)
NCCL_REFUSED(ncclParamGetU64)
NCCL_REFUSED(ncclParamGetU8)
