//===- Events.cpp - emulated events ---------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/Calls.h"
#include "test/emulation/Streams.h"

using namespace blink::test;

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  const cudaError_t error = enter(__func__, kContext);
  if (error == cudaSuccess)
    *event = new CUevent_st(currentDevice(), flags);
  return error;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return enter(__func__, kContext);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const cudaError_t error = enter(__func__, kContext);
  if (error != cudaSuccess)
    return error;
  Stream &from = streamOf(stream);
  if (event->device != from.device)
    return failed(cudaErrorInvalidResourceHandle);
  event->capture = from.capture;
  event->after = from.after;
  if (from.capture)
    return from.capture->invalidated ? failed(cudaErrorStreamCaptureInvalidated)
                                     : cudaSuccess;
  std::shared_ptr<CUevent_st::State> state = event->state;
  uint64_t number;
  {
    std::lock_guard<std::mutex> lock(state->mutex);
    number = ++state->asked;
    state->left.insert(number);
  }
  return from.push([state, number] {
    std::lock_guard<std::mutex> lock(state->mutex);
    state->left.erase(number);
    state->when = std::chrono::steady_clock::now();
    state->reachedMore.notify_all();
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned) {
  const cudaError_t error = enter(__func__, kContext);
  if (error != cudaSuccess)
    return error;
  Stream &held = streamOf(stream);
  if (event->capture != held.capture) {
    if (held.capture || event->capture->ended)
      return failed(cudaErrorStreamCaptureIsolation);
    held.join(event->capture, event->after);
    return cudaSuccess;
  }
  if (held.capture) {
    held.after.insert(held.after.end(), event->after.begin(),
                      event->after.end());
    return cudaSuccess;
  }
  std::shared_ptr<CUevent_st::State> state = event->state;
  uint64_t number;
  {
    std::lock_guard<std::mutex> lock(state->mutex);
    number = state->asked;
  }
  return held.push([state, number] {
    std::unique_lock<std::mutex> lock(state->mutex);
    state->reachedMore.wait(lock, [&] { return !state->left.count(number); });
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  if (error != cudaSuccess)
    return error;
  std::unique_lock<std::mutex> lock(event->state->mutex);
  const uint64_t number = event->state->asked;
  event->state->reachedMore.wait(
      lock, [&] { return !event->state->left.count(number); });
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin,
                                 cudaEvent_t end) {
  const cudaError_t error = enter(__func__, kContext);
  if (error != cudaSuccess)
    return error;
  std::chrono::steady_clock::time_point when[2];
  const cudaEvent_t events[] = {begin, end};
  for (int i = 0; i < 2; ++i) {
    std::lock_guard<std::mutex> lock(events[i]->state->mutex);
    const CUevent_st::State &state = *events[i]->state;
    if ((events[i]->flags & cudaEventDisableTiming) || state.asked == 0)
      return failed(cudaErrorInvalidResourceHandle);
    if (state.left.count(state.asked))
      return failed(cudaErrorNotReady);
    when[i] = state.when;
  }
  *milliseconds =
      std::chrono::duration<float, std::milli>(when[1] - when[0]).count();
  return cudaSuccess;
}
