//===- Runtime.h - times of Blink's calls -----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_GPUCHECK_RUNTIME_H
#define BLINK_TOOLS_GPUCHECK_RUNTIME_H

#include "runtime/blink.h"
#include "tools/gpu-check.d/Device.h"

#include <string>

namespace blink::gpubench {

/// Returns the milliseconds since `begin`.
double msSince(Clock::time_point begin);

/// A schedule and the communicators of all its ranks, on GPU 0. Throws
/// std::runtime_error.
class Ranks {
public:
  explicit Ranks(const std::string &path);
  ~Ranks();
  Ranks(const Ranks &) = delete;

  double openMs() const { return openMs_; }
  double initMs() const { return initMs_; }
  int size() const { return int(comms_.size()); }

  /// Makes one float32 allreduce with all ranks in one group. The ranks'
  /// buffers have `bytes` bytes each and follow each other.
  void allreduce(const void *send, void *recv, size_t bytes,
                 cudaStream_t stream);
  /// Throws if a call failed after it had returned.
  void check();

private:
  void require(blinkResult_t result, const char *what);
  void close();

  blinkSchedule_t schedule_ = nullptr;
  std::vector<blinkComm_t> comms_;
  double openMs_ = 0, initMs_ = 0;
};

/// Microseconds of an allreduce, including the wait for it.
struct CallTimes {
  double launch = 0;
  double graph = 0; ///< the same in a CUDA graph
};
CallTimes timeAllReduce(Device &device, Ranks &ranks, size_t bytes, int times);

} // namespace blink::gpubench

#endif // BLINK_TOOLS_GPUCHECK_RUNTIME_H
