//===- StreamCalls.cpp - streams, as programs use them --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Calls for streams, events and graphs that programs use and Blink does not.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/Calls.h"
#include "test/emulation/CudaRuntime.h"
#include "test/emulation/Streams.h"

using namespace blink::test;

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const cudaError_t error = enter(__func__, kContext);
  return error == cudaSuccess ? streamOf(stream).query() : error;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags,
                                         int priority) {
  // As with CUDA, a priority that does not exist becomes the nearest that does:
  // 0.
  return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaStreamGetPriority(cudaStream_t, int *priority) {
  *priority = 0;
  return enter(__func__, kContext);
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
  const cudaError_t error = enter(__func__, kContext);
  if (error == cudaSuccess)
    *flags = streamOf(stream).kind == Stream::nonBlocking
                 ? cudaStreamNonBlocking
                 : cudaStreamDefault;
  return error;
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
  const cudaError_t error = enter(__func__, kContext);
  if (error == cudaSuccess)
    *device = streamOf(stream).device;
  return error;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                     unsigned flags) {
  return flags == cudaEventRecordDefault ? cudaEventRecord(event, stream)
                                         : failed(cudaErrorNotSupported);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  if (error != cudaSuccess)
    return error;
  if (event->capture)
    return failed(cudaErrorCapturedEvent);
  const std::lock_guard<std::mutex> lock(event->state->mutex);
  return event->state->left.count(event->state->asked)
             ? failed(cudaErrorNotReady)
             : cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}
