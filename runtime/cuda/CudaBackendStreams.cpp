//===- CudaBackendStreams.cpp - launches among streams --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A kernel of several ranks runs in the stream of one of them. What is in the
// other ranks' streams by then comes before it; what is put there afterwards
// comes after it.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBackend.h"

#include <algorithm>
#include <set>

namespace blink::runtime {
bool CudaBackend::isCapturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
         status != cudaStreamCaptureStatusNone;
}

/// Whether a launch for these becomes part of a graph: a captured stream takes
/// those that wait for it into its capture.
bool CudaBackend::isAnyCapturing(const std::vector<StreamUse> &uses) {
  return std::any_of(uses.begin(), uses.end(), [](const StreamUse &use) {
    return isCapturing(use.stream);
  });
}

/// Returns a stream for messages that run beside the rank's collectives. One
/// that a capture has taken stays in it until the capture ends, so others need
/// another one meanwhile.
Status CudaBackend::besideStream(Rank &rank, cudaStream_t &stream) {
  for (OwnStream &own : rank.beside) {
    if (const cudaError_t error = own.get(stream); error != cudaSuccess)
      return cudaStatus(error, "cannot make a stream");
    if (!isCapturing(stream))
      return {};
  }
  return cudaStatus(rank.beside.emplace_back().get(stream),
                    "cannot make a stream");
}

/// `launchIt` launches the kernel in the stream of the first of `uses`, which
/// are all of the same device. Sets `begun` as soon as a kernel is in its
/// stream, and before that `capturing` if the stream is being captured.
Status CudaBackend::launchInOrder(
    int device, const std::vector<StreamUse> &uses, bool &begun,
    bool &capturing, const std::function<Status(cudaStream_t)> &launchIt) {
  DeviceScope scope(device);
  Status status = cudaStatus(scope.error(), "cannot use GPU ", device);
  const cudaStream_t main = uses[0].stream;
  capturing = isAnyCapturing(uses);
  if (status.ok())
    status = waitForStreams(uses, main, capturing);
  if (status.ok())
    status = launchIt(main);
  begun |= status.ok() && !capturing;
  if (!status.ok())
    return status;
  status = signalStreams(uses, main, capturing);
  if (!status.ok() && !capturing) {
    // No event tells when this kernel ends, so its memory could be freed
    // earlier.
    fail(status);
    cudaStreamSynchronize(main);
  }
  return status;
}

/// Launches a kernel, after announcing to the proxy what chunks it will have.
Status CudaBackend::announced(cudaStream_t stream, bool capturing,
                              std::vector<CarriedChunks> chunks,
                              const std::function<Status()> &launchIt) {
  const bool any = !chunks.empty();
  Status status = proxy_.announce(stream, capturing, std::move(chunks));
  if (!status.ok())
    return status;
  status = launchIt();
  if (!status.ok() && any && !capturing) {
    // The proxy waits for chunks that no lane will write, and no event tells
    // when it has been told of them.
    fail(status);
    cudaStreamSynchronize(stream);
  }
  return status;
}

/// Orders the kernel after what is in the other ranks' streams, and after the
/// previous launches of its queues. That includes launches in a stream with the
/// same handle, which may be a different stream: the handle of a thread's
/// default stream means another stream in every thread, and a destroyed
/// stream's handle may be that of a new one.
Status CudaBackend::waitForStreams(const std::vector<StreamUse> &uses,
                                   cudaStream_t main, bool capturing) {
  cudaError_t error = cudaSuccess;
  const Event *last = nullptr;   // the last event that `main` waits for
  cudaStream_t joined = nullptr; // the last stream that `main` waits for
  for (const StreamUse &use : uses) {
    if (use.stream != main && use.stream != joined) {
      joined = use.stream;
      error = use.rank->order.record(use.stream);
      if (error == cudaSuccess)
        error = use.rank->order.waitOn(main);
    }
    // A captured launch runs when its graph does, in the order that the graph's
    // user chooses.
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

/// Returns the event of the last launch if that launch was of exactly these
/// queues, else a new event. If an event that other queues share were recorded
/// again, a rank of these would wait for the later launch, which may in turn
/// need that rank: it would wait forever.
template <typename Uses> std::shared_ptr<Event> eventFor(const Uses &uses) {
  const std::shared_ptr<Event> &last = *uses[0].launched;
  std::set<const std::shared_ptr<Event> *> queues; // each counts once
  for (const auto &use : uses)
    if (*use.launched == last)
      queues.insert(use.launched);
  return last && last.use_count() == long(queues.size())
             ? last
             : std::make_shared<Event>();
}

} // namespace

/// Makes the other ranks' streams wait for the kernel.
Status CudaBackend::signalStreams(const std::vector<StreamUse> &uses,
                                  cudaStream_t main, bool capturing) {
  const std::shared_ptr<Event> launched = capturing ? nullptr : eventFor(uses);
  // The first rank's stream is `main`, so its event `order` is not in use.
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
