//===- CudaCopier.cpp - copies by GPUs ------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/probe/measure/CudaCopier.h"

#include "compiler/probe/measure/HostCopier.h"
#include "compiler/support/Error.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

using namespace blink;
using namespace blink::cuda;
using Clock = std::chrono::steady_clock;

/// Host memory has blocks for up to this many GPUs at once.
static constexpr size_t kMostMemoryBlocks = 4;
/// Number of copies that hold the queues back: each takes a millisecond on the
/// fastest PCIe, while a call that fills a queue takes some microseconds.
static constexpr size_t kFewestHolding = 2, kCallsAHolding = 200;
/// A thousand times as long as a round.
static constexpr std::chrono::seconds kLongest{20};

#define BLINK_TRY(call, what)                                                  \
  if (llvm::Error error = driver_.check(driver_.call, what))                   \
  return error

llvm::Expected<std::unique_ptr<CudaCopier>>
CudaCopier::create(Inventory &inventory,
                   const std::map<int, std::vector<int>> &memories) {
  llvm::Expected<Driver> driver = Driver::load();
  if (!driver)
    return driver.takeError();
  std::unique_ptr<CudaCopier> copier(new CudaCopier(*driver));
  for (size_t gpu = 0; gpu < inventory.gpus.size(); ++gpu)
    if (llvm::Error error = copier->addGpu(inventory, static_cast<int>(gpu)))
      return error;
  if (copier->description_.empty())
    return makeError("CUDA: none of the machine's {0} GPUs is shown to this "
                     "process; CUDA_VISIBLE_DEVICES says which are",
                     inventory.gpus.size());
  int version = 0;
  if (driver->cuDriverGetVersion(&version) == kSuccess)
    copier->description_ +=
        llvm::formatv(", CUDA {0}.{1}", version / 1000, version % 1000 / 10);
  for (const auto &[node, processors] : memories)
    if (llvm::Error error = copier->addMemory(node, processors))
      return error;
  return copier;
}

llvm::Error CudaCopier::addGpu(Inventory &inventory, int number) {
  const PciDevice &device = inventory.devices[inventory.gpus[number].device];
  Gpu &gpu = gpus_.emplace_back();
  gpu.number = number;
  std::string what = "gpu" + std::to_string(number);
  if (driver_.cuDeviceGetByPCIBusId(&gpu.device, device.busId.c_str()) !=
      kSuccess) {
    inventory.notes.warn(device.busId, "CUDA does not show " + what +
                                           " to this process; its links keep "
                                           "their nominal rates");
    return llvm::Error::success();
  }
  char name[96] = {};
  BLINK_TRY(cuDeviceGetName(name, sizeof name - 1, gpu.device), what);
  if (description_.empty())
    description_ = name;
  BLINK_TRY(cuDevicePrimaryCtxRetain(&gpu.context, gpu.device), what);
  BLINK_TRY(cuCtxSetCurrent(gpu.context), what);
  BLINK_TRY(cuMemAlloc_v2(&gpu.out, blockBytes()), "memory of " + what);
  BLINK_TRY(cuMemAlloc_v2(&gpu.in, blockBytes()), "memory of " + what);
  return llvm::Error::success();
}

/// Allocates ordinary pages, has a processor of the node touch them first, and
/// registers them with CUDA: memory that CUDA allocates itself may be on any
/// node.
llvm::Error CudaCopier::addMemory(int node,
                                  const std::vector<int> &processors) {
  const size_t bytes = memoryBlocks() * blockBytes();
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return makeError("no {0} bytes of host memory for --measure", bytes);
  bool isThere = false;
  std::thread([&] {
    isThere = pinTo(processors);
    if (isThere)
      std::memset(memory, 1, bytes);
  }).join();
  if (isThere) {
    int result = driver_.cuMemHostRegister_v2(memory, bytes, kPortable);
    if (result == kSuccess) {
      memories_[node] = memory;
      return llvm::Error::success();
    }
    munmap(memory, bytes);
    return driver_.check(result, "cuMemHostRegister");
  }
  munmap(memory, bytes);
  return llvm::Error::success();
}

CudaCopier::~CudaCopier() {
  if (isStuck_)
    return;
  for (auto [node, memory] : memories_) {
    driver_.cuMemHostUnregister(memory);
    munmap(memory, memoryBlocks() * blockBytes());
  }
  for (Gpu &gpu : gpus_) {
    if (!gpu.context)
      continue;
    driver_.cuCtxSetCurrent(gpu.context);
    for (Event event : gpu.events)
      driver_.cuEventDestroy_v2(event);
    for (Stream stream : gpu.streams)
      driver_.cuStreamDestroy_v2(stream);
    for (Address block : {gpu.out, gpu.in})
      if (block)
        driver_.cuMemFree_v2(block);
    driver_.cuCtxSetCurrent(nullptr);
    driver_.cuDevicePrimaryCtxRelease_v2(gpu.device);
  }
}

bool CudaCopier::canCopy(Place from, Place to) {
  for (Place place : {from, to})
    if (place.kind == Place::gpu ? !gpus_[place.index].context
                                 : !memories_.count(place.index))
      return false;
  if (from.kind == Place::numa || to.kind == Place::numa)
    return from.kind != to.kind;
  const Gpu &source = gpus_[from.index], &target = gpus_[to.index];
  int can = 0;
  if (driver_.cuDeviceCanAccessPeer(&can, source.device, target.device) !=
          kSuccess ||
      !can || driver_.cuCtxSetCurrent(source.context) != kSuccess)
    return false;
  int result = driver_.cuCtxEnablePeerAccess(target.context, 0);
  return result == kSuccess || result == kPeerAccessAlreadyEnabled;
}

size_t CudaCopier::memoryBlocks() const {
  return std::min(gpus_.size(), kMostMemoryBlocks);
}

char *CudaCopier::memoryFor(int node, int gpu) {
  return static_cast<char *>(memories_.at(node)) +
         static_cast<size_t>(gpu) % memoryBlocks() * blockBytes();
}

llvm::Expected<CudaCopier::Queue> CudaCopier::queueOn(Gpu &gpu) {
  BLINK_TRY(cuCtxSetCurrent(gpu.context), "cuCtxSetCurrent");
  if (gpu.streamsUsed == gpu.streams.size()) {
    Stream stream = nullptr;
    BLINK_TRY(cuStreamCreate(&stream, kNonBlocking), "cuStreamCreate");
    gpu.streams.push_back(stream);
  }
  return Queue{&gpu, gpu.streams[gpu.streamsUsed++]};
}

llvm::Expected<Event> CudaCopier::record(const Queue &queue) {
  Gpu &gpu = *queue.gpu;
  BLINK_TRY(cuCtxSetCurrent(gpu.context), "cuCtxSetCurrent");
  if (gpu.eventsUsed == gpu.events.size()) {
    Event event = nullptr;
    BLINK_TRY(cuEventCreate(&event, 0), "cuEventCreate");
    gpu.events.push_back(event);
  }
  Event event = gpu.events[gpu.eventsUsed++];
  BLINK_TRY(cuEventRecord(event, queue.stream), "cuEventRecord");
  return event;
}

llvm::Error CudaCopier::holdBack(llvm::ArrayRef<Queue> queues,
                                 llvm::ArrayRef<CopyWork> works) {
  if (memories_.empty())
    return llvm::Error::success(); // without memory queues start at once
  llvm::Expected<Queue> holding = queueOn(*queues.front().gpu);
  if (!holding)
    return holding.takeError();
  Gpu &gpu = *holding->gpu;
  const char *memory = memoryFor(memories_.begin()->first, gpu.number);
  size_t calls = 0;
  for (const CopyWork &work : works)
    calls += 2 + 2 * static_cast<size_t>(work.blocks); // copies, events
  for (size_t block = 0; block < kFewestHolding + calls / kCallsAHolding;
       ++block)
    BLINK_TRY(
        cuMemcpyHtoDAsync_v2(gpu.in, memory, blockBytes(), holding->stream),
        "cuMemcpyHtoDAsync");
  llvm::Expected<Event> open = record(*holding);
  if (!open)
    return open.takeError();
  for (const Queue &queue : queues) {
    BLINK_TRY(cuCtxSetCurrent(queue.gpu->context), "cuCtxSetCurrent");
    BLINK_TRY(cuStreamWaitEvent(queue.stream, *open, 0), "cuStreamWaitEvent");
  }
  return llvm::Error::success();
}

llvm::Error CudaCopier::enqueueCopy(const Queue &queue, const CopyWork &work) {
  const size_t bytes = blockBytes();
  if (work.from.kind == Place::numa) {
    const Gpu &to = gpus_[work.to.index];
    BLINK_TRY(cuMemcpyHtoDAsync_v2(to.in, memoryFor(work.from.index, to.number),
                                   bytes, queue.stream),
              "cuMemcpyHtoDAsync");
  } else if (work.to.kind == Place::numa) {
    const Gpu &from = gpus_[work.from.index];
    BLINK_TRY(cuMemcpyDtoHAsync_v2(memoryFor(work.to.index, from.number),
                                   from.out, bytes, queue.stream),
              "cuMemcpyDtoHAsync");
  } else {
    const Gpu &from = gpus_[work.from.index], &to = gpus_[work.to.index];
    BLINK_TRY(cuMemcpyPeerAsync(to.in, to.context, from.out, from.context,
                                bytes, queue.stream),
              "cuMemcpyPeerAsync");
  }
  return llvm::Error::success();
}

llvm::Error CudaCopier::fill(Queue &queue, const CopyWork &work) {
  llvm::Expected<Event> begin = record(queue);
  if (!begin)
    return begin.takeError();
  queue.begin = *begin;
  for (int block = 0; block < work.blocks; ++block) {
    if (llvm::Error error = enqueueCopy(queue, work))
      return error;
    llvm::Expected<Event> end = record(queue);
    if (!end)
      return end.takeError();
    queue.ends.push_back(*end);
  }
  return llvm::Error::success();
}

llvm::Error CudaCopier::await(const Queue &queue) {
  const Clock::time_point deadline = Clock::now() + kLongest;
  BLINK_TRY(cuCtxSetCurrent(queue.gpu->context), "cuCtxSetCurrent");
  for (;;) {
    int result = driver_.cuEventQuery(queue.ends.back());
    if (result != kNotReady)
      return driver_.check(result,
                           "a copy of gpu" + std::to_string(queue.gpu->number));
    if (Clock::now() > deadline) {
      isStuck_ = true;
      return makeError("CUDA: a copy of gpu{0} does not end in {1} s",
                       queue.gpu->number, kLongest.count());
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

llvm::Expected<std::vector<std::vector<double>>>
CudaCopier::copy(llvm::ArrayRef<CopyWork> works) {
  for (Gpu &gpu : gpus_)
    gpu.streamsUsed = gpu.eventsUsed = 0;
  std::vector<Queue> queues;
  for (const CopyWork &work : works) {
    const Place at = work.from.kind == Place::gpu ? work.from : work.to;
    llvm::Expected<Queue> queue = queueOn(gpus_[at.index]);
    if (!queue)
      return queue.takeError();
    queues.push_back(std::move(*queue));
  }
  if (queues.size() > 1)
    if (llvm::Error error = holdBack(queues, works))
      return error;
  for (size_t i = 0; i < works.size(); ++i)
    if (llvm::Error error = fill(queues[i], works[i]))
      return error;
  std::vector<std::vector<double>> seconds(works.size());
  for (const Queue &queue : queues)
    if (llvm::Error error = await(queue))
      return error;
  for (size_t i = 0; i < works.size(); ++i) {
    BLINK_TRY(cuCtxSetCurrent(queues[i].gpu->context), "cuCtxSetCurrent");
    for (Event end : queues[i].ends) {
      float milliseconds = 0;
      BLINK_TRY(cuEventElapsedTime(&milliseconds, queues[i].begin, end),
                "cuEventElapsedTime");
      seconds[i].push_back(milliseconds / 1e3);
    }
  }
  return seconds;
}
