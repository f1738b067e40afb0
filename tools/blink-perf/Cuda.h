//===- Cuda.h - CUDA's runtime for measurements -----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKPERF_CUDA_H
#define BLINK_TOOLS_BLINKPERF_CUDA_H

#include <cuda_runtime_api.h>
#include <memory>
#include <stdexcept>
#include <string>

namespace blink::perf {

/// Throws std::runtime_error, "cannot do it: what CUDA says".
inline void require(cudaError_t error, const char *what) {
  if (error != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " +
                             cudaGetErrorString(error));
}

/// A graph that can be launched.
using Graph = std::unique_ptr<CUgraphExec_st, cudaError_t (*)(cudaGraphExec_t)>;

/// Captures what `work` puts into the stream, and into those that it orders
/// with it. Throws what `work` throws, and std::runtime_error.
template <typename Work> Graph capture(cudaStream_t stream, const Work &work) {
  cudaGraph_t graph = nullptr;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed),
          "cannot capture a graph");
  try {
    work();
  } catch (...) {
    cudaStreamEndCapture(stream, &graph);
    if (graph)
      cudaGraphDestroy(graph);
    throw;
  }
  require(cudaStreamEndCapture(stream, &graph), "cannot capture a graph");
  cudaGraphExec_t exec = nullptr;
  const cudaError_t error = cudaGraphInstantiateWithFlags(&exec, graph, 0);
  cudaGraphDestroy(graph);
  require(error, "cannot make the graph ready");
  return {exec, cudaGraphExecDestroy};
}

} // namespace blink::perf

#endif // BLINK_TOOLS_BLINKPERF_CUDA_H
