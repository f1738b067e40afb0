//===- Queues.cpp - whether streams run side by side ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/gpu-check.d/Queues.h"

#include "tools/gpu-check.d/Device.h"
#include "tools/gpu-check.d/Kernels.h"

#include <exception>
#include <thread>

namespace blink::gpubench {
namespace {

constexpr size_t kBytes = 1024;   ///< of a copy
constexpr uint32_t kMeetings = 3; ///< of a round

/// What one stream copies: pinned memory, so that copies do not wait for the
/// host and kernels can reach it, and its twin on the GPU.
class Copies {
public:
  Copies() : twin_(allocate(kBytes)), pinned_(nullptr, cudaFreeHost) {
    void *pinned = nullptr;
    require(cudaHostAlloc(&pinned, kBytes,
                          cudaHostAllocPortable | cudaHostAllocMapped),
            "cannot allocate pinned memory");
    pinned_.reset(pinned);
  }
  void up(bool copies, cudaStream_t stream) const {
    copy(twin_.get(), pinned_.get(), copies, stream);
  }
  void down(bool copies, cudaStream_t stream) const {
    copy(pinned_.get(), twin_.get(), copies, stream);
  }

private:
  static void copy(void *to, const void *from, bool copies,
                   cudaStream_t stream) {
    require(copies
                ? cudaMemcpyAsync(to, from, kBytes, cudaMemcpyDefault, stream)
                : launchCopy(to, from, kBytes, 1, stream),
            "cannot copy");
  }

  Memory twin_, pinned_;
};

/// Streams that exist as long as this object.
class Streams {
public:
  explicit Streams(uint32_t number) : streams_(number) {
    for (uint32_t i = 0; i < number; ++i)
      require(cudaStreamCreateWithFlags(&streams_[i],
                                        i % 3 == 0 ? cudaStreamDefault
                                                   : cudaStreamNonBlocking),
              "cannot make a stream");
  }
  ~Streams() {
    for (cudaStream_t stream : streams_)
      if (stream)
        cudaStreamDestroy(stream);
  }
  Streams(const Streams &) = delete;
  cudaStream_t operator[](uint32_t i) const { return streams_[i]; }

private:
  std::vector<cudaStream_t> streams_;
};

/// Runs a round. Returns whether all kernels met.
bool meet(uint32_t number, bool byCopies, const std::vector<Copies> &copies,
          MeetingMemory *meetings) {
  require(cudaMemset(meetings, 0, kMeetings * sizeof *meetings),
          "cannot write the GPU's memory");
  require(cudaStreamSynchronize(nullptr), "cannot write the GPU's memory");
  const Streams streams(number);
  std::vector<std::exception_ptr> errors(number);
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < number; ++i)
    threads.emplace_back([&, i] {
      try {
        for (uint32_t m = 0; m < kMeetings; ++m) {
          copies[i].up(byCopies, streams[i]);
          require(launchMeeting(meetings + m, number, streams[i]),
                  "cannot start a kernel");
          copies[i].down(byCopies, streams[i]);
        }
        require(cudaStreamSynchronize(streams[i]), "the kernels failed");
      } catch (...) {
        errors[i] = std::current_exception();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::exception_ptr &error : errors)
    if (error)
      std::rethrow_exception(error);
  std::vector<MeetingMemory> seen(kMeetings);
  require(cudaMemcpy(seen.data(), meetings, kMeetings * sizeof *meetings,
                     cudaMemcpyDeviceToHost),
          "cannot read the GPU's memory");
  for (const MeetingMemory &meeting : seen)
    if (meeting.failed != 0)
      return false;
  return true;
}

} // namespace

std::vector<QueueCount> countQueues(uint32_t rounds) {
  constexpr uint32_t kMost = 32;
  require(cudaSetDevice(0), "cannot use the GPU");
  const std::vector<Copies> copies(kMost);
  const Memory meetings = allocate(kMeetings * sizeof(MeetingMemory), 0);
  const auto meets = [&](uint32_t streams, bool byCopies) {
    return meet(streams, byCopies, copies,
                static_cast<MeetingMemory *>(meetings.get()));
  };
  // Loads the kernels: that waits for running ones, so a kernel that is loaded
  // while another one waits for it would not begin.
  for (bool byCopies : {true, false})
    meets(1, byCopies);
  std::vector<QueueCount> counts;
  for (bool byCopies : {true, false})
    for (uint32_t streams : {2, 4, 8, 9, 16, 24, 32}) {
      QueueCount count{streams, byCopies};
      // A few failures suffice; each takes a while.
      for (; count.rounds < rounds && count.failed < 3; ++count.rounds)
        if (!meets(streams, byCopies))
          ++count.failed;
      counts.push_back(count);
    }
  return counts;
}

} // namespace blink::gpubench
