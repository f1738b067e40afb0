//===- Streams.cpp - emulated streams -------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The order of streams, their handles, and CUDA's calls for them.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/Streams.h"

#include "test/emulation/Calls.h"
#include "test/emulation/CudaRuntime.h"

#include <algorithm>
#include <list>
#include <map>

using namespace blink::test;

/// A handle. The handle of a destroyed stream is reused.
struct CUstream_st {
  std::shared_ptr<Stream> stream;
};

namespace {

/// Streams with work left that were destroyed or whose thread has ended.
class Parting {
public:
  void add(std::shared_ptr<Stream> stream) {
    stream->end();
    std::lock_guard<std::mutex> lock(mutex_);
    streams_.remove_if([](const auto &one) { return one->ended(); });
    streams_.push_back(std::move(stream));
  }

private:
  std::mutex mutex_;
  std::list<std::shared_ptr<Stream>> streams_;
};
Parting &parting() {
  static Parting streams;
  return streams;
}

/// The streams of a device that are ordered among each other. Work is put into
/// all of them under one mutex, so that no work waits for work that comes
/// later.
struct DeviceStreams {
  std::mutex mutex;
  std::unique_ptr<Stream> legacy;
  std::vector<Stream *> blocking;
  std::vector<Stream *> all;
};
DeviceStreams &streamsOf(int device) {
  // Never destroyed, since some streams end during the program's exit.
  static auto &mutex = *new std::mutex;
  static auto &devices = *new std::map<int, DeviceStreams>;
  std::lock_guard<std::mutex> lock(mutex);
  return devices[device];
}

/// A thread's default streams, which end with the thread.
struct ThreadStreams {
  std::map<int, std::shared_ptr<Stream>> byDevice;
  ~ThreadStreams() {
    for (auto &[device, stream] : byDevice)
      parting().add(std::move(stream));
  }
};
thread_local ThreadStreams threadStreams;

std::mutex handlesMutex;
std::vector<std::unique_ptr<CUstream_st>> handles;
std::vector<cudaStream_t> freeHandles;

/// Work that must be done first: the last piece of each stream concerned.
using Before = std::vector<std::pair<std::shared_ptr<Progress>, uint64_t>>;
void comeAfter(const Stream &stream, Before &before) {
  before.emplace_back(stream.progress, stream.progress->numPushed());
}
void waitFor(const Before &before) {
  for (const auto &[progress, number] : before)
    progress->waitFor(number);
}

template <typename List, typename Value>
void eraseValue(List &list, const Value &value) {
  list.erase(std::remove(list.begin(), list.end(), value), list.end());
}

} // namespace

namespace blink::test {

Stream::Stream(int device, Kind kind)
    : device(device), kind(kind), thread_([this] { run(); }) {}

Stream::~Stream() {
  end();
  thread_.join();
}

void Stream::end() {
  {
    DeviceStreams &streams = streamsOf(device);
    std::lock_guard<std::mutex> lock(streams.mutex);
    eraseValue(streams.blocking, this);
    eraseValue(streams.all, this);
  }
  enqueue({});
}

bool Stream::ended() {
  std::lock_guard<std::mutex> lock(progress->mutex);
  return progress->ended;
}

void Stream::run() {
  std::unique_lock<std::mutex> lock(progress->mutex);
  for (;;) {
    progress->next.wait(
        lock, [&] { return !progress->queue.empty() && !progress->busy; });
    std::function<void()> work = std::move(progress->queue.front());
    progress->queue.pop_front();
    if (!work) {
      progress->ended = true;
      return;
    }
    lock.unlock();
    work();
    work = {}; // release what it holds before telling waiters
    lock.lock();
    ++progress->done;
    progress->changed.notify_all();
  }
}

void Stream::enqueue(std::function<void()> work) {
  // Keeps the progress alive: the stream may end as soon as it sees the empty
  // work.
  const std::shared_ptr<Progress> to = progress;
  {
    std::lock_guard<std::mutex> lock(to->mutex);
    to->pushed += bool(work);
    to->queue.push_back(std::move(work));
  }
  to->next.notify_one();
}

cudaError_t Stream::put(std::function<void()> &work, bool &isHere) {
  DeviceStreams &streams = streamsOf(device);
  std::unique_lock<std::mutex> lock(streams.mutex, std::defer_lock);
  if (kind != nonBlocking) {
    lock.lock();
    Before before;
    if (kind == blocking && streams.legacy)
      comeAfter(*streams.legacy, before);
    for (Stream *stream : streams.blocking) {
      if (kind == blocking)
        break;
      // The captured work that the call would wait for has not been launched.
      if (stream->capture) {
        stream->capture->invalidated = true;
        return failed(cudaErrorStreamCaptureImplicit);
      }
      comeAfter(*stream, before);
    }
    work = [before = std::move(before), then = std::move(work)] {
      waitFor(before);
      then();
    };
  }
  if (isHere) {
    std::lock_guard<std::mutex> own(progress->mutex);
    isHere = progress->done == progress->pushed;
    progress->busy = isHere;
    progress->pushed += isHere;
  }
  if (!isHere)
    enqueue(std::move(work));
  return cudaSuccess;
}

cudaError_t Stream::push(std::function<void()> work) {
  if (capture) {
    if (capture->invalidated)
      return failed(cudaErrorStreamCaptureInvalidated);
    CUgraph_st &graph = *capture->graph;
    graph.branches[branch].push_back(graph.nodes.size());
    graph.nodes.push_back({std::move(work), std::move(after)});
    after = {graph.nodes.size() - 1};
    return cudaSuccess;
  }
  bool isHere = false;
  return put(work, isHere);
}

cudaError_t Stream::pushAndDrain(std::function<void()> work) {
  bool isHere = !capture;
  const cudaError_t error = isHere ? put(work, isHere) : push(std::move(work));
  if (error != cudaSuccess)
    return error;
  if (!isHere)
    return drain();
  work();
  work = {}; // as in run()
  {
    std::lock_guard<std::mutex> lock(progress->mutex);
    progress->busy = false;
    ++progress->done;
  }
  progress->next.notify_one();
  progress->changed.notify_all();
  return cudaSuccess;
}

cudaError_t Stream::drain() {
  if (capture)
    return failed(cudaErrorStreamCaptureUnsupported);
  // The default stream is done when the streams it waits for are done.
  const cudaError_t error = kind == legacy ? push([] {}) : cudaSuccess;
  if (error == cudaSuccess)
    progress->waitFor(progress->numPushed());
  return error;
}

cudaError_t Stream::query() {
  if (capture) {
    capture->invalidated = true; // unsafe during captures
    return failed(cudaErrorStreamCaptureUnsupported);
  }
  bool done = progress->isDone();
  if (kind == legacy) {
    DeviceStreams &streams = streamsOf(device);
    std::lock_guard<std::mutex> lock(streams.mutex);
    for (const Stream *stream : streams.blocking)
      done = done && stream->progress->isDone();
  }
  return done ? cudaSuccess : failed(cudaErrorNotReady);
}

void Stream::join(std::shared_ptr<Capture> into, Nodes nodes) {
  DeviceStreams &streams = streamsOf(device);
  std::lock_guard<std::mutex> lock(streams.mutex); // push() reads `capture`
  capture = std::move(into);
  after = std::move(nodes);
  branch = capture->graph->branches.size();
  capture->graph->branches.emplace_back();
  capture->graph->streams.push_back(this);
}

void Stream::leave() {
  DeviceStreams &streams = streamsOf(device);
  std::lock_guard<std::mutex> lock(streams.mutex);
  capture = nullptr;
  after.clear();
}

namespace {

std::shared_ptr<Stream> makeStream(int device, Stream::Kind kind) {
  auto stream = std::make_shared<Stream>(device, kind);
  DeviceStreams &streams = streamsOf(device);
  std::lock_guard<std::mutex> lock(streams.mutex);
  streams.all.push_back(stream.get());
  if (kind == Stream::blocking)
    streams.blocking.push_back(stream.get());
  return stream;
}

} // namespace

Stream &streamOf(cudaStream_t stream) {
  const int device = currentDevice();
  if (stream == cudaStreamPerThread) {
    std::shared_ptr<Stream> &own = threadStreams.byDevice[device];
    if (!own)
      own = makeStream(device, Stream::blocking);
    return *own;
  }
  if (stream && stream != cudaStreamLegacy)
    return *stream->stream;
  DeviceStreams &streams = streamsOf(device);
  std::lock_guard<std::mutex> lock(streams.mutex);
  if (!streams.legacy)
    streams.legacy = std::make_unique<Stream>(device, Stream::legacy);
  return *streams.legacy;
}

void drainDevice(int device) {
  Before before;
  {
    DeviceStreams &streams = streamsOf(device);
    std::lock_guard<std::mutex> lock(streams.mutex);
    if (streams.legacy)
      comeAfter(*streams.legacy, before);
    for (const Stream *stream : streams.all)
      comeAfter(*stream, before);
  }
  waitFor(before);
}

bool spoilCaptures(int device) {
  DeviceStreams &streams = streamsOf(device);
  std::lock_guard<std::mutex> lock(streams.mutex);
  bool spoilt = false;
  for (const Stream *stream : streams.all)
    if (stream->capture)
      spoilt = stream->capture->invalidated = true;
  return spoilt;
}

cudaError_t enqueue(cudaStream_t stream, std::function<void()> work) {
  Stream &to = streamOf(stream);
  if (to.device != currentDevice())
    return failed(cudaErrorInvalidResourceHandle);
  return to.push(std::move(work));
}

} // namespace blink::test

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  const cudaError_t error = enter(__func__, kContext);
  if (error != cudaSuccess)
    return error;
  auto made = makeStream(currentDevice(), flags == cudaStreamNonBlocking
                                              ? Stream::nonBlocking
                                              : Stream::blocking);
  std::lock_guard<std::mutex> lock(handlesMutex);
  if (freeHandles.empty()) {
    handles.push_back(std::make_unique<CUstream_st>());
    freeHandles.push_back(handles.back().get());
  }
  *stream = freeHandles.back();
  freeHandles.pop_back();
  (*stream)->stream = std::move(made);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const cudaError_t error = enter(__func__, kContext);
  if (!stream)
    return failed(cudaErrorInvalidResourceHandle);
  parting().add(std::move(stream->stream)); // its work goes on
  std::lock_guard<std::mutex> lock(handlesMutex);
  freeHandles.push_back(stream);
  return error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const cudaError_t error = enter(__func__, kContext | kNoCapture);
  return error == cudaSuccess ? streamOf(stream).drain() : error;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  cudaStreamCaptureStatus *status) {
  const std::shared_ptr<Capture> &capture = streamOf(stream).capture;
  *status = !capture               ? cudaStreamCaptureStatusNone
            : capture->invalidated ? cudaStreamCaptureStatusInvalidated
                                   : cudaStreamCaptureStatusActive;
  return enter(__func__, kContext);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                               void *data) {
  const cudaError_t error = enter(__func__, kContext);
  if (error != cudaSuccess)
    return error;
  return enqueue(stream, [function, data] {
    const HostFunctionScope scope;
    function(data);
  });
}
