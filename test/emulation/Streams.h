//===- Streams.h - emulated streams, events and graphs ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A stream is a thread with a queue. Streams are in order and do not wait for
// each other but by events, and for their device's default stream, and it for
// them, unless they are non-blocking.
// A graph has the streams that took part in its capture as branches: each is a
// thread when it is launched, in order, and they wait for each other where
// events said so. Events between a stream that is captured and one that is not
// are errors but for the event by which a stream joins the capture.
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

/// Pieces of work of a graph, by number.
using Nodes = std::vector<size_t>;

/// A graph in the making.
struct Capture {
  CUgraph_st *graph;
  cudaStreamCaptureMode mode;
  std::thread::id thread; ///< that began it
  std::atomic<bool> ended{false};
  std::atomic<bool> invalidated{false};
};

/// How far a queue is, for those who wait for it; outlives its stream.
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
  std::condition_variable changed; ///< for those who wait
  std::condition_variable next;    ///< for the stream's thread
  std::deque<std::function<void()>> queue;
  uint64_t pushed = 0, done = 0;
  bool busy = false;  ///< a caller's thread does a piece of the work
  bool ended = false; ///< the thread has nothing left to do
};

class Stream {
public:
  enum Kind { legacy, blocking, nonBlocking };

  Stream(int device, Kind kind);
  /// Waits for the work that is left.
  ~Stream();
  Stream(const Stream &) = delete;

  /// Errors: a capture that this spoils, or that has been spoilt.
  cudaError_t push(std::function<void()> work);
  /// The same, and until it is done: by this thread, if the stream is idle, as
  /// it takes longer to wake the stream's than to copy what tests copy.
  cudaError_t pushAndDrain(std::function<void()> work);
  /// Until all work so far is done.
  cudaError_t drain();
  /// Whether it is; an error where drain() has one.
  cudaError_t query();
  /// No work will come any more.
  void end();
  bool ended();

  /// Work goes to a new branch from now on, after those nodes.
  void join(std::shared_ptr<Capture> into, Nodes nodes);
  /// The capture is over.
  void leave();

  const int device;
  const Kind kind;
  /// What it takes part in, or null, and what comes before its next piece. As
  /// in CUDA, for one thread at a time.
  std::shared_ptr<Capture> capture;
  Nodes after;
  size_t branch = 0;

  /// How far it is.
  const std::shared_ptr<Progress> progress = std::make_shared<Progress>();

private:
  void run();
  void enqueue(std::function<void()> work);
  /// Puts `work` into the stream; or if `isHere` and the stream is idle, makes
  /// it busy and leaves the work to the caller, with what it has to wait for.
  cudaError_t put(std::function<void()> &work, bool &isHere);

  std::thread thread_; // last: it uses the others
};

/// The stream that a handle stands for in this thread: one that was made, or a
/// default stream of the current device.
Stream &streamOf(cudaStream_t stream);

/// Until the device is done with all that is in its streams now.
void drainDevice(int device);
/// Whether one of its streams is captured; all of these captures are spoilt.
bool spoilCaptures(int device);

} // namespace blink::test

/// Numbers records; who waits, waits for the last one asked for, whatever is
/// recorded later, in whatever stream.
struct CUevent_st {
  struct State {
    std::mutex mutex;
    std::condition_variable reachedMore;
    uint64_t asked = 0;
    std::set<uint64_t> left;                    ///< asked for and not reached
    std::chrono::steady_clock::time_point when; ///< reached last
  };
  CUevent_st(int device, unsigned flags) : device(device), flags(flags) {}

  const int device;
  const unsigned flags;
  // Shared with the streams: the event may be destroyed before it is reached.
  std::shared_ptr<State> state = std::make_shared<State>();
  /// If it was recorded last in a capture: which, and what comes before it.
  std::shared_ptr<blink::test::Capture> capture;
  blink::test::Nodes after;
};

struct CUgraph_st {
  struct Node {
    std::function<void()> work;
    blink::test::Nodes after; ///< nodes before this one, in any branch
  };
  std::vector<Node> nodes;
  /// One a stream, in the order of its calls.
  std::vector<blink::test::Nodes> branches;
  std::vector<blink::test::Stream *> streams; ///< of branches, while captured

  /// Runs all of it: a thread a branch. None waits for what comes later.
  void run() const;
  /// Whether the end of the first branch comes after everything else.
  bool isJoined() const;
};

#endif // BLINK_TEST_EMULATION_STREAMS_H
