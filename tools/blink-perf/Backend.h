//===- Backend.h - memory, streams and time of a back end -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What differs between ranks on the host and ranks on GPUs. All methods throw
// std::exception where the machine refuses.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_BACKEND_H
#define BLINK_TOOLS_BLINKPERF_BACKEND_H

#include "runtime/blink.h"

#include <functional>
#include <memory>
#include <vector>

namespace blink::perf {

/// The host's; GPUs override.
class Backend {
public:
  virtual ~Backend() = default;

  /// Memory where rank `rank` may use it, blinkMemAlloc's if it is `shared`;
  /// null: ranks use memory of the host.
  virtual std::shared_ptr<uint8_t> allocate(int rank, size_t bytes,
                                            bool shared) {
    return nullptr;
  }
  /// Between `host` and what allocate() gave for it.
  virtual void upload(void *memory, const void *host, size_t bytes) {}
  virtual void download(void *host, const void *memory, size_t bytes) {}

  virtual blinkStream_t stream(int rank) const { return nullptr; }
  /// Waits for all streams.
  virtual void synchronize() {}

  /// Whether seconds() is to be asked for the time: calls return before the
  /// work is done.
  virtual bool keepsTime() const { return false; }
  /// From the begin to the end of what `work` puts into the streams.
  virtual double seconds(const std::function<void()> &work) { return 0; }
  /// Captures what `work` puts into the streams; launchGraph() runs it.
  virtual void capture(const std::function<void()> &work) {}
  virtual void launchGraph() {}
};

/// A stream a rank. Rank r is on GPU devices[r].
/// Whether this build has it.
bool hasCudaBackend();
std::unique_ptr<Backend> makeCudaBackend(const std::vector<int> &devices);

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_BACKEND_H
