//===- CudaBackendStreams.cpp - launches among streams --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A kernel of several ranks runs in the stream of one. What is in the others'
// streams comes before it, what they get afterwards behind it.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBackend.h"

#include <algorithm>

namespace blink::runtime {
bool CudaBackend::isCapturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
         status != cudaStreamCaptureStatusNone;
}

/// `launchIt` launches the kernel in the stream of the first of `uses`, all of
/// the same device. `begun` is set as soon as a kernel is in its stream;
/// `capturing` before that if it is one of a graph's.
Status CudaBackend::launchInOrder(
    int device, const std::vector<StreamUse> &uses, bool &begun,
    bool &capturing, const std::function<Status(cudaStream_t)> &launchIt) {
  DeviceScope scope(device);
  Status status = cudaStatus(scope.error(), "cannot use GPU ", device);
  const cudaStream_t main = uses[0].stream;
  capturing = isCapturing(main);
  if (status.ok())
    status = waitForStreams(uses, main, capturing);
  if (status.ok())
    status = launchIt(main);
  begun |= status.ok() && !capturing;
  if (!status.ok())
    return status;
  status = signalStreams(uses, main, capturing);
  if (!status.ok() && !capturing) {
    // No event tells when this kernel ends, so that its memory would go before.
    fail(status);
    cudaStreamSynchronize(main);
  }
  return status;
}

/// Launches a kernel behind the word to the proxy what it will carry.
Status CudaBackend::announced(cudaStream_t stream, bool capturing,
                              std::vector<CarriedChunks> chunks,
                              const std::function<Status()> &launchIt) {
  const bool any = !chunks.empty();
  Status status = proxy_.announce(stream, capturing, std::move(chunks));
  if (!status.ok())
    return status;
  status = launchIt();
  if (!status.ok() && any && !capturing) {
    // The proxy waits for chunks that nobody writes, and no event tells when it
    // has heard of them.
    fail(status);
    cudaStreamSynchronize(stream);
  }
  return status;
}

/// The kernel comes after what is in the others' streams, and after the former
/// launches of its queues, wherever they were: in the same stream, too, as a
/// handle does not tell. That of a thread's default stream stands for another
/// in every thread, and that of a destroyed stream for the next.
Status CudaBackend::waitForStreams(const std::vector<StreamUse> &uses,
                                   cudaStream_t main, bool capturing) {
  cudaError_t error = cudaSuccess;
  const Event *last = nullptr;   // that `main` waits for
  cudaStream_t joined = nullptr; // likewise
  for (const StreamUse &use : uses) {
    if (use.stream != main && use.stream != joined) {
      joined = use.stream;
      error = use.rank->order.record(use.stream);
      if (error == cudaSuccess)
        error = use.rank->order.waitOn(main);
    }
    // What was captured runs when its graph does, in the order its user gives.
    if (error == cudaSuccess && use.launched->get() != last && !capturing) {
      last = use.launched->get();
      error = last ? last->waitOn(main) : cudaSuccess;
    }
    if (error != cudaSuccess)
      break;
  }
  return cudaStatus(error, "cannot order streams");
}

namespace {

/// The event of the last launch, if that was of these queues, or a new one: a
/// rank that waited for a later launch of others, which may need it, would wait
/// for ever.
template <typename Uses> std::shared_ptr<Event> eventFor(const Uses &uses) {
  const std::shared_ptr<Event> &last = *uses[0].launched;
  const auto users =
      std::count_if(uses.begin(), uses.end(),
                    [&](const auto &use) { return *use.launched == last; });
  return last && last.use_count() == users ? last : std::make_shared<Event>();
}

} // namespace

/// And the others' streams go on after it.
Status CudaBackend::signalStreams(const std::vector<StreamUse> &uses,
                                  cudaStream_t main, bool capturing) {
  const std::shared_ptr<Event> launched = capturing ? nullptr : eventFor(uses);
  // The first rank's stream is `main`, which needs no order of its own.
  Event &done = capturing ? uses[0].rank->order : *launched;
  cudaError_t error = done.record(main);
  cudaStream_t joined = nullptr;
  for (const StreamUse &use : uses) {
    if (error == cudaSuccess && use.stream != main && use.stream != joined) {
      joined = use.stream;
      error = done.waitOn(use.stream);
    }
    if (!capturing)
      *use.launched = launched;
  }
  return cudaStatus(error, "cannot order streams");
}

} // namespace blink::runtime
