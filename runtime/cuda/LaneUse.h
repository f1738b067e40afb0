//===- LaneUse.h - lanes that a rank may run at the same time ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_LANEUSE_H
#define BLINK_RUNTIME_CUDA_LANEUSE_H

#include <algorithm>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <map>
#include <set>
#include <thread>
#include <tuple>

namespace blink::runtime {

/// How many lanes a rank's launches so far may have needed at the same time.
/// Launches of one stream follow each other, and so do those of one queue
/// (Call::queue), so both give a limit: the largest launch of each stream, and
/// the lanes of each queue that was used.
class LaneUse {
public:
  /// Adds a launch of this thread. `beside`: it runs beside the stream's
  /// collectives.
  void addLaunch(cudaStream_t stream, bool beside, uint32_t lanes) {
    // That handle is a stream of each thread.
    const std::thread::id thread = stream == cudaStreamPerThread
                                       ? std::this_thread::get_id()
                                       : std::thread::id();
    uint32_t &most = ofStream_[{stream, thread, beside}];
    most = std::max(most, lanes);
  }
  void addQueue(int queue, uint32_t lanes) {
    ofQueues_ += queues_.insert(queue).second ? lanes : 0;
  }

  uint32_t most() const {
    uint32_t ofStreams = 0;
    for (const auto &[stream, lanes] : ofStream_)
      ofStreams += lanes;
    return std::min(ofStreams, ofQueues_);
  }

private:
  std::map<std::tuple<cudaStream_t, std::thread::id, bool>, uint32_t> ofStream_;
  std::set<int> queues_;
  uint32_t ofQueues_ = 0;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_LANEUSE_H
