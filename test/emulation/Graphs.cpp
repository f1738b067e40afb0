//===- Graphs.cpp - emulated captures and graphs --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/Calls.h"
#include "test/emulation/Streams.h"

#include <algorithm>

using namespace blink::test;

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

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   cudaStreamCaptureMode mode) {
  const cudaError_t error = enter(__func__, kContext);
  if (error != cudaSuccess)
    return error;
  Stream &first = streamOf(stream);
  if (first.kind == Stream::legacy || first.capture)
    return failed(cudaErrorStreamCaptureUnsupported);
  auto capture = std::make_shared<Capture>();
  capture->graph = new CUgraph_st;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  announce(capture);
  first.join(std::move(capture), {});
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  *graph = nullptr;
  const cudaError_t error = enter(__func__, kContext);
  Stream &first = streamOf(stream);
  if (!first.capture || first.branch != 0)
    return failed(cudaErrorInvalidValue);
  const std::shared_ptr<Capture> capture = first.capture;
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      capture->thread != std::this_thread::get_id())
    return failed(cudaErrorStreamCaptureWrongThread);
  std::unique_ptr<CUgraph_st> captured(capture->graph);
  const bool joined = captured->isJoined();
  capture->ended = true;
  for (Stream *part : captured->streams)
    part->leave();
  captured->streams.clear();
  if (capture->invalidated)
    return failed(cudaErrorStreamCaptureInvalidated);
  if (!joined)
    return failed(cudaErrorStreamCaptureUnjoined);
  *graph = captured.release();
  return error;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec,
                                          cudaGraph_t graph,
                                          unsigned long long) {
  *exec = new CUgraphExec_st{std::make_shared<const CUgraph_st>(*graph)};
  return enter(__func__, kContext);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  const cudaError_t error = enter(__func__, kContext);
  return error == cudaSuccess
             ? streamOf(stream).push([graph = exec->graph] { graph->run(); })
             : error;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return enter(__func__, kContext);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  delete exec;
  return enter(__func__, kContext);
}
