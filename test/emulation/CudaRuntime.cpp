//===- CudaRuntime.cpp - CUDA's runtime on host threads -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Memory is of files, a stream is a thread with a queue. Enough of CUDA's
// semantics for what the back end relies on: streams are in order and do not
// wait for each other but by events, and for the default stream unless they are
// non-blocking; calls return before the work is done.
// A graph has the streams that took part in its capture as branches: each is a
// thread when it is launched, in order, and they wait for each other where
// events said so. Events between a stream that is captured and one that is not
// are errors but for the event by which a stream joins the capture.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/CudaRuntime.h"

#include "runtime/cuda/DeviceMemory.h"
#include "test/emulation/Emulation.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

blink::test::EmulatedMachine blink::test::emulatedMachine;
std::atomic<blink::test::LaneHook> blink::test::laneHook{nullptr};

using blink::test::emulatedMachine;

/// Pieces of work of a graph, by number.
using Nodes = std::vector<size_t>;

/// A graph in the making; null when it is done.
struct Capture {
  CUgraph_st *graph;
};

/// Counts records asked for and reached; who waits, waits for the last one
/// asked for.
struct CUevent_st {
  struct State {
    std::mutex mutex;
    std::condition_variable reachedMore;
    uint64_t asked = 0, reached = 0;
    std::chrono::steady_clock::time_point when; ///< reached last
  };
  // Shared with the streams: the event may be destroyed before it is reached.
  std::shared_ptr<State> state = std::make_shared<State>();
  /// If it was recorded last in a capture: which, and what comes before it.
  std::shared_ptr<Capture> capture;
  Nodes after;
};

struct CUgraph_st {
  struct Node {
    std::function<void()> work;
    Nodes after; ///< nodes before this one, in other branches or its own
  };
  std::vector<Node> nodes;
  std::vector<Nodes> branches; ///< one a stream, in the order of its calls
  std::vector<CUstream_st *> streams; ///< of the branches, while captured

  /// Runs all of it: a thread a branch. None waits for what comes later.
  void run() const;
  /// Whether the end of the first branch comes after everything else.
  bool isJoined() const;
};
struct CUgraphExec_st {
  std::shared_ptr<const CUgraph_st> graph;
};

void CUgraph_st::run() const {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<bool> done(nodes.size());
  std::vector<std::thread> threads;
  for (const Nodes &branch : branches)
    threads.emplace_back([&] {
      for (size_t number : branch) {
        const Node &node = nodes[number];
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] {
          return std::all_of(node.after.begin(), node.after.end(),
                             [&](size_t before) { return done[before]; });
        });
        lock.unlock();
        node.work();
        lock.lock();
        done[number] = true;
        changed.notify_all();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

struct CUstream_st {
  /// `defaults`: the default stream, if this one waits for it.
  explicit CUstream_st(CUstream_st *defaults = nullptr)
      : defaults(defaults), thread([this] { run(); }) {}
  ~CUstream_st() {
    push({}); // ends the thread
    thread.join();
  }

  void push(std::function<void()> work) {
    if (capture && work) {
      CUgraph_st &graph = *capture->graph;
      graph.branches[branch].push_back(graph.nodes.size());
      graph.nodes.push_back({std::move(work), std::move(after)});
      after = {graph.nodes.size() - 1};
      return;
    }
    if (defaults && work)
      work = [before = defaults, number = defaults->numPushed(),
              then = std::move(work)] {
        before->waitFor(number);
        then();
      };
    std::lock_guard<std::mutex> lock(mutex);
    queue.push_back(std::move(work));
    ++pushed;
    changed.notify_all();
  }
  uint64_t numPushed() {
    std::lock_guard<std::mutex> lock(mutex);
    return pushed;
  }
  /// Until that many pieces of work are done.
  void waitFor(uint64_t number) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return done >= number; });
  }
  void drain() { waitFor(numPushed()); }

  /// Work goes to a new branch from now on, after those nodes.
  void join(std::shared_ptr<Capture> into, Nodes nodes) {
    capture = std::move(into);
    after = std::move(nodes);
    branch = capture->graph->branches.size();
    capture->graph->branches.emplace_back();
    capture->graph->streams.push_back(this);
  }

  /// What it takes part in, or null, and what comes before its next piece. As
  /// in CUDA, for one thread at a time.
  std::shared_ptr<Capture> capture;
  Nodes after;
  size_t branch = 0;

private:
  void run() {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return !queue.empty(); });
      std::function<void()> work = std::move(queue.front());
      queue.pop_front();
      if (!work)
        return;
      lock.unlock();
      work();
      lock.lock();
      ++done;
      changed.notify_all();
    }
  }

  CUstream_st *const defaults;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> queue;
  uint64_t pushed = 0, done = 0;
  std::thread thread; // last: it uses the others
};

bool CUgraph_st::isJoined() const {
  std::vector<bool> reached(nodes.size());
  Nodes open = streams[0]->after;
  while (!open.empty()) {
    const size_t number = open.back();
    open.pop_back();
    if (reached[number])
      continue;
    reached[number] = true;
    open.insert(open.end(), nodes[number].after.begin(),
                nodes[number].after.end());
  }
  return std::all_of(reached.begin(), reached.end(), [](bool r) { return r; });
}

namespace {

thread_local int currentDevice = 0;

/// The default streams, by device.
class Defaults {
public:
  CUstream_st &operator[](int device) {
    std::lock_guard<std::mutex> lock(mutex_);
    return streams_[device];
  }
  void drainAll() {
    for (int device = 0; device < emulatedMachine.devices; ++device)
      (*this)[device].drain();
  }

private:
  std::mutex mutex_;
  std::map<int, CUstream_st> streams_;
};
Defaults &defaults() {
  static Defaults streams;
  return streams;
}

/// Null: the default stream of the current device.
CUstream_st &streamOf(cudaStream_t stream) {
  return stream ? *stream : defaults()[currentDevice];
}

bool isDevice(int device) {
  return device >= 0 && device < emulatedMachine.devices;
}

bool areJoined(int device, int other) {
  return (device < emulatedMachine.peerBorder) ==
         (other < emulatedMachine.peerBorder);
}

/// Pieces of memory, all behind files, so that other processes can map them.
class Memory {
public:
  cudaError_t allocate(void **memory, size_t bytes) {
    const int file = memfd_create("emulated GPU memory", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, off_t(bytes)) != 0)
      return cudaErrorMemoryAllocation;
    const cudaError_t error = map(memory, file, bytes);
    if (error == cudaSuccess) // not zero: nobody may rely on that
      std::memset(*memory, 0xcd, bytes);
    return error;
  }

  cudaError_t map(void **memory, int file, size_t bytes) {
    *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (*memory == MAP_FAILED)
      return cudaErrorMemoryAllocation;
    std::lock_guard<std::mutex> lock(mutex_);
    pieces_[*memory] = {file, currentDevice, bytes};
    return cudaSuccess;
  }

  cudaError_t free(void *memory) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = pieces_.find(memory);
    if (found == pieces_.end())
      return memory ? cudaErrorInvalidValue : cudaSuccess;
    munmap(memory, found->second.bytes);
    close(found->second.file);
    pieces_.erase(found);
    return cudaSuccess;
  }

  /// The begin of the piece that `address` is in, or null.
  const char *beginOf(const void *address) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto &[begin, piece] : pieces_)
      if (address >= begin &&
          address < static_cast<const char *>(begin) + piece.bytes)
        return static_cast<const char *>(begin);
    return nullptr;
  }

  /// By which another process finds it: "process file device bytes".
  cudaError_t handle(void *memory, char *text, size_t size) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = pieces_.find(memory);
    if (found == pieces_.end())
      return cudaErrorInvalidValue;
    std::snprintf(text, size, "%d %d %d %zu", int(getpid()), found->second.file,
                  found->second.device, found->second.bytes);
    return cudaSuccess;
  }

private:
  struct Piece {
    int file;
    int device;
    size_t bytes;
  };
  std::mutex mutex_;
  std::map<void *, Piece> pieces_;
};

Memory &memories() {
  static Memory memory;
  return memory;
}

} // namespace

cudaError_t blink::runtime::allocationOf(const void *address,
                                         const char *&begin) {
  begin = memories().beginOf(address);
  return begin ? cudaSuccess : cudaErrorInvalidValue;
}

bool blink::runtime::isOpenToPeers(const void *address) {
  return memories().beginOf(address) != nullptr;
}

void blink::test::enqueue(cudaStream_t stream, std::function<void()> work) {
  streamOf(stream).push(std::move(work));
}

cudaError_t cudaGetDeviceCount(int *count) {
  *count = emulatedMachine.devices;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device) {
  *device = currentDevice;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (!isDevice(device))
    return cudaErrorInvalidDevice;
  currentDevice = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device) {
  if (!isDevice(device))
    return cudaErrorInvalidDevice;
  const std::vector<int> &buses = emulatedMachine.buses;
  const int bus =
      size_t(device) < buses.size() ? buses[size_t(device)] : device + 1;
  std::snprintf(text, size_t(size), "0000:%02X:00.0", unsigned(bus));
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  if (!isDevice(device) || !isDevice(peer) || device == peer)
    return cudaErrorInvalidDevice;
  *can = areJoined(device, peer);
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  static std::mutex mutex;
  static std::map<std::pair<int, int>, bool> enabled;
  std::lock_guard<std::mutex> lock(mutex);
  bool &pair = enabled[{currentDevice, peer}];
  if (pair)
    return cudaErrorPeerAccessAlreadyEnabled;
  pair = true;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char *cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : "emulated error";
}

cudaError_t cudaMalloc(void **memory, size_t bytes) {
  return memories().allocate(memory, bytes);
}
cudaError_t cudaFree(void *memory) {
  defaults().drainAll();
  return memories().free(memory);
}
cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned) {
  return memories().allocate(memory, bytes);
}
cudaError_t cudaFreeHost(void *memory) { return cudaFree(memory); }
cudaError_t cudaHostRegister(void *, size_t, unsigned) { return cudaSuccess; }
cudaError_t cudaHostUnregister(void *) { return cudaSuccess; }
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *memory) {
  return memories().handle(memory, handle->reserved, sizeof(handle->reserved));
}
cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle,
                                 unsigned) {
  int process = 0, file = 0, device = 0;
  size_t bytes = 0;
  std::sscanf(handle.reserved, "%d %d %d %zu", &process, &file, &device,
              &bytes);
  if (process == getpid())
    return cudaErrorDeviceUninitialized; // as CUDA puts it
  if (!areJoined(currentDevice, device))
    return cudaErrorPeerAccessUnsupported;
  const std::string path =
      "/proc/" + std::to_string(process) + "/fd/" + std::to_string(file);
  const int own = open(path.c_str(), O_RDWR | O_CLOEXEC);
  return own < 0 ? cudaErrorInvalidValue : memories().map(memory, own, bytes);
}
cudaError_t cudaIpcCloseMemHandle(void *memory) {
  return memories().free(memory);
}
cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  // The host's, which all devices share.
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  *free = size_t(sysconf(_SC_AVPHYS_PAGES)) * page;
  *total = size_t(sysconf(_SC_PHYS_PAGES)) * page;
  return cudaSuccess;
}
cudaError_t cudaMemset(void *memory, int value, size_t bytes) {
  blink::test::enqueue(nullptr, [=] { std::memset(memory, value, bytes); });
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       cudaMemcpyKind) {
  CUstream_st &stream = streamOf(nullptr);
  stream.drain();
  // The end of ordinary memory, from a buffer of the driver's, may be on its
  // way still when this returns.
  constexpr size_t kBuffer = 64 << 10;
  const bool toDevice = memories().beginOf(to) && !memories().beginOf(from);
  const size_t late = toDevice ? std::min(bytes, kBuffer) : 0;
  if (bytes != late)
    std::memcpy(to, from, bytes - late);
  const char *end = static_cast<const char *>(from) + bytes;
  if (late != 0)
    stream.push([end = static_cast<char *>(to) + bytes,
                 buffer = std::vector<char>(end - late, end),
                 delay = emulatedMachine.copyDelay] {
      std::this_thread::sleep_for(delay);
      std::memcpy(end - buffer.size(), buffer.data(), buffer.size());
    });
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            cudaMemcpyKind, cudaStream_t stream) {
  blink::test::enqueue(stream, [=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  *stream = new CUstream_st(
      flags == cudaStreamNonBlocking ? nullptr : &streamOf(nullptr));
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (streamOf(stream).capture)
    return cudaErrorStreamCaptureUnsupported;
  streamOf(stream).drain();
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  cudaStreamCaptureStatus *status) {
  *status = streamOf(stream).capture ? cudaStreamCaptureStatusActive
                                     : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  CUstream_st &from = streamOf(stream);
  event->capture = from.capture;
  event->after = from.after;
  if (from.capture)
    return cudaSuccess;
  std::shared_ptr<CUevent_st::State> state = event->state;
  uint64_t number;
  {
    std::lock_guard<std::mutex> lock(state->mutex);
    number = ++state->asked;
  }
  from.push([state, number] {
    std::lock_guard<std::mutex> lock(state->mutex);
    state->reached = std::max(state->reached, number);
    state->when = std::chrono::steady_clock::now();
    state->reachedMore.notify_all();
  });
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned) {
  CUstream_st &held = streamOf(stream);
  if (event->capture != held.capture) {
    if (held.capture || !event->capture->graph)
      return cudaErrorStreamCaptureIsolation;
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
  held.push([state, number] {
    std::unique_lock<std::mutex> lock(state->mutex);
    state->reachedMore.wait(lock, [&] { return state->reached >= number; });
  });
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  std::unique_lock<std::mutex> lock(event->state->mutex);
  const uint64_t number = event->state->asked;
  event->state->reachedMore.wait(
      lock, [&] { return event->state->reached >= number; });
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin,
                                 cudaEvent_t end) {
  std::lock_guard<std::mutex> first(begin->state->mutex);
  std::lock_guard<std::mutex> second(end->state->mutex);
  *milliseconds = std::chrono::duration<float, std::milli>(end->state->when -
                                                           begin->state->when)
                      .count();
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (!stream || stream->capture) // CUDA's default stream cannot be captured
    return cudaErrorStreamCaptureUnsupported;
  stream->join(std::make_shared<Capture>(Capture{new CUgraph_st}), {});
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  *graph = nullptr;
  if (!stream || !stream->capture || stream->branch != 0)
    return cudaErrorInvalidValue;
  CUgraph_st *captured = stream->capture->graph;
  const bool joined = captured->isJoined();
  stream->capture->graph = nullptr;
  for (CUstream_st *part : captured->streams) {
    part->capture = nullptr;
    part->after.clear();
  }
  captured->streams.clear();
  if (!joined) {
    delete captured;
    return cudaErrorStreamCaptureUnjoined;
  }
  *graph = captured;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec,
                                          cudaGraph_t graph,
                                          unsigned long long) {
  *exec = new CUgraphExec_st{std::make_shared<const CUgraph_st>(*graph)};
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  streamOf(stream).push([graph = exec->graph] { graph->run(); });
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  delete exec;
  return cudaSuccess;
}
