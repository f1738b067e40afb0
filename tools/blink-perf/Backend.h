//===- Backend.h - memory, streams and time of a back end -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The differences between ranks on the host and ranks on GPUs. All methods
// throw std::exception if the machine refuses.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_BACKEND_H
#define BLINK_TOOLS_BLINKPERF_BACKEND_H

#include "runtime/blink.h"

#include <functional>
#include <memory>
#include <vector>

namespace blink::perf {

/// The host's back end; that for GPUs overrides its methods.
class Backend {
public:
  virtual ~Backend() = default;

  /// Allocates memory that `rank` can use, from blinkMemAlloc if it is
  /// `shared`. Null: ranks use memory of the host.
  virtual std::shared_ptr<uint8_t> allocate(int rank, size_t bytes,
                                            bool shared) {
    return nullptr;
  }
  /// Copies between `host` and memory from allocate().
  virtual void upload(void *memory, const void *host, size_t bytes) {}
  virtual void download(void *host, const void *memory, size_t bytes) {}

  virtual blinkStream_t stream(int rank) const { return nullptr; }
  /// Waits for all streams.
  virtual void synchronize() {}

  /// Whether seconds() measures the time, as calls return before the work is
  /// done.
  virtual bool keepsTime() const { return false; }
  /// Returns the seconds from begin to end of what `work` puts into the
  /// streams.
  virtual double seconds(const std::function<void()> &work) { return 0; }
  /// Captures what `work` puts into the streams, for launchGraph() to run.
  virtual void capture(const std::function<void()> &work) {}
  virtual void launchGraph() {}
};

/// Whether this build has the CUDA back end.
bool hasCudaBackend();
/// Makes a back end with one stream per rank. Rank r is on GPU devices[r].
std::unique_ptr<Backend> makeCudaBackend(const std::vector<int> &devices);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_BACKEND_H
