//===- Streams.h - emulated streams, events and graphs ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A stream is a thread with a queue. Streams run in order. They wait for each
// other only through events, and blocking streams and their device's default
// stream also wait for each other.
//
// A graph has a branch for each stream that took part in its capture. When the
// graph is launched each branch is a thread; branches run in order and wait for
// each other where events say so. An event between a captured stream and one
// that is not captured is an error, except for the event by which a stream
// joins the capture.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_EMULATION_STREAMS_H
#define BLINK_TEST_EMULATION_STREAMS_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cuda_runtime_api.h>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace blink::test {

class Stream;

/// Numbers of pieces of work in a graph.
using Nodes = std::vector<size_t>;

/// A graph that is being captured.
struct Capture {
  CUgraph_st *graph;
  cudaStreamCaptureMode mode;
  std::thread::id thread; ///< the thread that began it
  std::atomic<bool> ended{false};
  std::atomic<bool> invalidated{false};
};

/// The progress of a queue, for threads that wait for it. Outlives the stream.
struct Progress {
  void waitFor(uint64_t number) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return done >= number; });
  }
  uint64_t numPushed() {
    std::lock_guard<std::mutex> lock(mutex);
    return pushed;
  }
  bool isDone() {
    std::lock_guard<std::mutex> lock(mutex);
    return done >= pushed;
  }

  std::mutex mutex;
  std::condition_variable changed; ///< for waiting threads
  std::condition_variable next;    ///< for the stream's thread
  std::deque<std::function<void()>> queue;
  uint64_t pushed = 0, done = 0;
  bool busy = false;  ///< a caller's thread runs the next piece of work
  bool ended = false; ///< the thread has nothing left to do
};

class Stream {
public:
  enum Kind { legacy, blocking, nonBlocking };

  Stream(int device, Kind kind);
  /// Waits for the remaining work.
  ~Stream();
  Stream(const Stream &) = delete;

  /// Adds work. Errors: the call invalidates a capture, or the capture is
  /// already invalid.
  cudaError_t push(std::function<void()> work);
  /// Adds work and waits for it. If the stream is idle, this thread runs the
  /// work: waking the stream's thread takes longer than copying what tests
  /// copy.
  cudaError_t pushAndDrain(std::function<void()> work);
  /// Waits until all work so far is done.
  cudaError_t drain();
  /// Whether all work is done; fails when drain() would.
  cudaError_t query();
  /// Declares that no more work will come.
  void end();
  bool ended();

  /// From now on work goes into a new branch of the capture, after `nodes`.
  void join(std::shared_ptr<Capture> into, Nodes nodes);
  /// Leaves the capture, which is over.
  void leave();

  const int device;
  const Kind kind;
  /// The capture that the stream takes part in, or null, and the nodes before
  /// its next piece of work. As in CUDA, for one thread at a time.
  std::shared_ptr<Capture> capture;
  Nodes after;
  size_t branch = 0;

  /// The stream's progress.
  const std::shared_ptr<Progress> progress = std::make_shared<Progress>();

private:
  void run();
  void enqueue(std::function<void()> work);
  /// Puts `work` into the stream. If `isHere` is set and the stream is idle, it
  /// marks the stream busy instead and leaves the work to the caller, including
  /// the waits that precede it.
  cudaError_t put(std::function<void()> &work, bool &isHere);

  std::thread thread_; // last: it uses the others
};

/// Returns the stream that a handle stands for in this thread: one that was
/// made, or a default stream of the current device.
Stream &streamOf(cudaStream_t stream);

/// Waits until the device has done all work now in its streams.
void drainDevice(int device);
/// Returns true if one of the device's streams is captured, and invalidates all
/// of these captures.
bool spoilCaptures(int device);

} // namespace blink::test

/// Numbers the records. A waiter waits for the last record requested before the
/// wait, whatever is recorded later and in whatever stream.
struct CUevent_st {
  struct State {
    std::mutex mutex;
    std::condition_variable reachedMore;
    uint64_t asked = 0;
    std::set<uint64_t> left;                    ///< requested and not reached
    std::chrono::steady_clock::time_point when; ///< of the last one reached
  };
  CUevent_st(int device, unsigned flags) : device(device), flags(flags) {}

  const int device;
  const unsigned flags;
  // Shared with the streams, since an event may be destroyed before it is
  // reached.
  std::shared_ptr<State> state = std::make_shared<State>();
  /// If the event was last recorded in a capture: that capture, and the nodes
  /// before the event.
  std::shared_ptr<blink::test::Capture> capture;
  blink::test::Nodes after;
};

struct CUgraph_st {
  struct Node {
    std::function<void()> work;
    blink::test::Nodes after; ///< nodes before this one, in any branch
  };
  std::vector<Node> nodes;
  /// One branch for each stream, in the order of its calls.
  std::vector<blink::test::Nodes> branches;
  std::vector<blink::test::Stream *> streams; ///< of branches, while captured

  /// Runs the whole graph with a thread for each branch. No node waits for a
  /// later one.
  void run() const;
  /// Whether the end of the first branch comes after all other nodes.
  bool isJoined() const;
};

#endif // BLINK_TEST_EMULATION_STREAMS_H
