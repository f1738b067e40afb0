//===- CudaBackend.cpp - memory, streams and time of GPUs -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Times are taken, and graphs begin, in rank 0's stream: fork() makes all
// streams wait for what it contains, and join() makes it wait for all streams.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Backend.h"

#include <stdexcept>

#if BLINK_HAVE_CUDA

#include "tools/blink-perf/Cuda.h"

namespace blink::perf {
namespace {

class CudaBackend final : public Backend {
public:
  explicit CudaBackend(const std::vector<int> &devices);
  ~CudaBackend() override;

  std::shared_ptr<uint8_t> allocate(int rank, size_t bytes,
                                    bool shared) override {
    use(rank);
    void *memory = nullptr;
    if (!shared)
      require(cudaMalloc(&memory, bytes), "cannot allocate memory of a GPU");
    else if (blinkMemAlloc(&memory, bytes) != blinkSuccess)
      throw std::runtime_error(blinkGetLastError(nullptr));
    return {static_cast<uint8_t *>(memory),
            [device = devices_[rank], shared](uint8_t *owned) {
              cudaSetDevice(device);
              if (shared)
                blinkMemFree(
                    owned); // after a failure it may be registered still
              else
                cudaFree(owned);
            }};
  }
  void upload(void *memory, const void *host, size_t bytes) override {
    require(cudaMemcpy(memory, host, bytes, cudaMemcpyDefault),
            "cannot copy to a GPU");
    // From pageable memory, cudaMemcpy may return before the last bytes have
    // arrived, and non-blocking streams would not wait for them.
    require(cudaStreamSynchronize(nullptr), "cannot copy to a GPU");
  }
  void download(void *host, const void *memory, size_t bytes) override {
    require(cudaMemcpy(host, memory, bytes, cudaMemcpyDefault),
            "cannot copy from a GPU");
  }
  blinkStream_t stream(int rank) const override {
    return reinterpret_cast<blinkStream_t>(streams_[rank]);
  }
  void synchronize() override {
    for (size_t rank = 0; rank < streams_.size(); ++rank) {
      use(int(rank));
      require(cudaStreamSynchronize(streams_[rank]), "a stream failed");
    }
  }
  bool keepsTime() const override { return true; }
  double seconds(const std::function<void()> &work) override;
  void capture(const std::function<void()> &work) override;
  void launchGraph() override {
    use(0);
    require(cudaGraphLaunch(graph_.get(), streams_[0]),
            "cannot launch the graph");
  }

private:
  void use(int rank) {
    require(cudaSetDevice(devices_[rank]), "cannot use a GPU");
  }
  void fork();
  void join();

  std::vector<int> devices_;
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> marks_; ///< one per rank, for ordering streams
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  Graph graph_{nullptr, cudaGraphExecDestroy};
};

CudaBackend::CudaBackend(const std::vector<int> &devices)
    : devices_(devices), streams_(devices.size()), marks_(devices.size()) {
  for (size_t rank = 0; rank < devices.size(); ++rank) {
    use(int(rank));
    require(cudaStreamCreateWithFlags(&streams_[rank], cudaStreamNonBlocking),
            "cannot make a stream");
    require(cudaEventCreateWithFlags(&marks_[rank], cudaEventDisableTiming),
            "cannot make an event");
  }
  use(0);
  require(cudaEventCreateWithFlags(&begin_, 0), "cannot make an event");
  require(cudaEventCreateWithFlags(&end_, 0), "cannot make an event");
}

CudaBackend::~CudaBackend() {
  graph_.reset();
  for (size_t rank = 0; rank < streams_.size(); ++rank) {
    if (streams_[rank])
      cudaStreamDestroy(streams_[rank]);
    if (marks_[rank])
      cudaEventDestroy(marks_[rank]);
  }
  if (begin_)
    cudaEventDestroy(begin_);
  if (end_)
    cudaEventDestroy(end_);
}

/// Orders later work of all streams after the present work of rank 0's.
void CudaBackend::fork() {
  use(0);
  require(cudaEventRecord(marks_[0], streams_[0]), "cannot order streams");
  for (size_t rank = 1; rank < streams_.size(); ++rank)
    require(cudaStreamWaitEvent(streams_[rank], marks_[0], 0),
            "cannot order streams");
}

/// Orders later work of rank 0's stream after the present work of all.
void CudaBackend::join() {
  for (size_t rank = 1; rank < streams_.size(); ++rank) {
    use(int(rank));
    require(cudaEventRecord(marks_[rank], streams_[rank]),
            "cannot order streams");
    require(cudaStreamWaitEvent(streams_[0], marks_[rank], 0),
            "cannot order streams");
  }
  use(0);
}

double CudaBackend::seconds(const std::function<void()> &work) {
  use(0);
  require(cudaEventRecord(begin_, streams_[0]), "cannot take the time");
  fork();
  work();
  join();
  require(cudaEventRecord(end_, streams_[0]), "cannot take the time");
  synchronize();
  float milliseconds = 0;
  require(cudaEventElapsedTime(&milliseconds, begin_, end_),
          "cannot take the time");
  return double(milliseconds) * 1e-3;
}

void CudaBackend::capture(const std::function<void()> &work) {
  graph_.reset();
  use(0);
  graph_ = perf::capture(streams_[0], [&] {
    fork();
    work();
    join();
  });
}

} // namespace

bool hasCudaBackend() { return true; }

std::unique_ptr<Backend> makeCudaBackend(const std::vector<int> &devices) {
  return std::make_unique<CudaBackend>(devices);
}

} // namespace blink::perf

#else

bool blink::perf::hasCudaBackend() { return false; }

std::unique_ptr<blink::perf::Backend>
blink::perf::makeCudaBackend(const std::vector<int> &devices) {
  throw std::runtime_error("this build has no CUDA back end");
}

#endif
