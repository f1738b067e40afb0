//===- FakeCuda.cpp - CUDA's driver for copies, from a profile ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The calls of CUDA's driver that measure links, on a machine described by a
// text file, BLINK_FAKE_CUDA, which make-driver.py writes:
//
//   gpu 0000:06:00.0 Tesla V100-SXM2-16GB     GPU 0, 1, ...
//   memory cpu0            the first host memory that is registered, the second
//   rate gpu0>gpu1 23.5 [noisy]    GB/s of a resource
//   path gpu0 gpu1 gpu0>gpu1 ...   resources that a copy between the two uses
//
// GPUs without a path have no peer access. Time is virtual (CopyModel.h).
//
// Stricter than the real driver. These are errors: a call without a current
// context, an event of a different context than the stream's, a copy from or to
// an address without memory, and a copy between GPUs whose peer access is not
// enabled. A process that has not freed everything ends with SIGABRT.
//
//===----------------------------------------------------------------------===//

#include "test/cudadriver/CopyModel.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

using namespace blink::test;
using Work = CopyStream::Work;

namespace {

enum : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kNotInitialized = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kInvalidHandle = 400,
  kNotReady = 600,
  kPeerAccessAlreadyEnabled = 704,
  kPeerAccessNotEnabled = 705,
};

/// The time of a call that queues work.
constexpr double kCallSeconds = 4e-6;

struct Gpu {
  std::string busId, name;
  int users = 0; ///< users of its primary context
};

struct Block {
  std::string place; ///< "gpu0", "cpu1"
  size_t bytes;
};

class Machine {
public:
  ~Machine() {
    bool isLeft = !blocks.empty() || !model.streams.empty() || !events.empty();
    for (const Gpu &gpu : gpus)
      isLeft |= gpu.users != 0;
    if (isLeft)
      abort();
  }

  int read() {
    const char *path = std::getenv("BLINK_FAKE_CUDA");
    std::ifstream file(path ? path : "");
    if (!file)
      return kNoDevice;
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string what, first, rest;
      words >> what >> first;
      if (what == "gpu") {
        std::getline(words >> std::ws, rest);
        gpus.push_back({first, rest});
      } else if (what == "memory") {
        memories.push_back(first);
      } else if (what == "rate") {
        double rate = 0;
        words >> rate >> rest;
        model.resources[first] = {rate * 1e9, rest == "noisy"};
      } else if (what == "path") {
        words >> rest;
        std::vector<std::string> &used = model.paths[{first, rest}];
        for (std::string name; words >> name;)
          used.push_back(name);
      }
    }
    isReady = true;
    return kSuccess;
  }

  /// Returns the memory that contains these bytes; empty if none does.
  std::string placeOf(unsigned long long address, size_t bytes) const {
    auto next = blocks.upper_bound(address);
    if (next == blocks.begin())
      return "";
    const auto &[begin, block] = *std::prev(next);
    return address + bytes <= begin + block.bytes ? block.place : "";
  }

  int enqueue(void *stream, Work work) {
    for (CopyStream &each : model.streams)
      if (&each == stream && each.device == current) {
        each.queue.push_back(work);
        model.pass(kCallSeconds);
        return kSuccess;
      }
    return kInvalidHandle;
  }

  int enqueueCopy(unsigned long long to, unsigned long long from, size_t bytes,
                  void *stream) {
    const std::string source = placeOf(from, bytes),
                      target = placeOf(to, bytes);
    auto path = model.paths.find({source, target});
    if (path == model.paths.end())
      return kInvalidValue;
    return enqueue(stream, {Work::copy, &path->second,
                            static_cast<double>(bytes), nullptr});
  }

  CopyEvent *eventOf(void *handle) {
    for (CopyEvent &event : events)
      if (&event == handle)
        return &event;
    return nullptr;
  }

  std::vector<Gpu> gpus;
  std::vector<std::string> memories;
  size_t memoriesGiven = 0;
  std::map<unsigned long long, Block> blocks; ///< by address
  unsigned long long nextAddress = 1ull << 60;
  std::set<std::pair<int, int>> enabledPeers;
  std::list<CopyEvent> events;
  CopyModel model;
  bool isReady = false;
  int current = -1; ///< the GPU of the current context
} machine;

bool isGpu(int device) {
  return device >= 0 && size_t(device) < machine.gpus.size();
}
std::string nameOf(int gpu) { return "gpu" + std::to_string(gpu); }

/// Returns the GPU of a context, which is represented by the GPU's number plus
/// 1; -1 if it is not a valid context.
int gpuOf(void *context) {
  const int gpu = int(reinterpret_cast<size_t>(context)) - 1;
  return isGpu(gpu) && machine.gpus[size_t(gpu)].users > 0 ? gpu : -1;
}

unsigned long long addressOf(const void *memory) {
  return reinterpret_cast<unsigned long long>(memory);
}

} // namespace

extern "C" {

int cuInit(unsigned) { return machine.isReady ? kSuccess : machine.read(); }

int cuDriverGetVersion(int *version) {
  *version = 12080;
  return kSuccess;
}

int cuGetErrorName(int result, const char **name) {
  static char text[32];
  std::snprintf(text, sizeof text, "CUDA_ERROR_%d", result);
  *name = result == kNoDevice ? "CUDA_ERROR_NO_DEVICE" : text;
  return kSuccess;
}

int cuDeviceGetByPCIBusId(int *device, const char *busId) {
  if (!machine.isReady)
    return kNotInitialized;
  for (size_t gpu = 0; gpu < machine.gpus.size(); ++gpu)
    if (machine.gpus[gpu].busId == busId) {
      *device = int(gpu);
      return kSuccess;
    }
  return kInvalidDevice;
}

int cuDeviceGetName(char *name, int length, int device) {
  if (!isGpu(device))
    return kInvalidDevice;
  std::snprintf(name, size_t(length), "%s",
                machine.gpus[size_t(device)].name.c_str());
  return kSuccess;
}

int cuDeviceCanAccessPeer(int *can, int device, int peer) {
  if (!isGpu(device) || !isGpu(peer))
    return kInvalidDevice;
  *can = int(machine.model.paths.count({nameOf(device), nameOf(peer)}));
  return kSuccess;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  if (!isGpu(device))
    return kInvalidDevice;
  ++machine.gpus[size_t(device)].users;
  *context = reinterpret_cast<void *>(size_t(device) + 1);
  return kSuccess;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  if (!isGpu(device) || machine.gpus[size_t(device)].users == 0)
    return kInvalidContext;
  --machine.gpus[size_t(device)].users;
  return kSuccess;
}

int cuCtxSetCurrent(void *context) {
  machine.current = context ? gpuOf(context) : -1;
  return context && machine.current < 0 ? kInvalidContext : kSuccess;
}

int cuCtxEnablePeerAccess(void *context, unsigned flags) {
  const int gpu = machine.current, peer = gpuOf(context);
  if (gpu < 0 || peer < 0 || flags != 0)
    return kInvalidContext;
  if (!machine.model.paths.count({nameOf(gpu), nameOf(peer)}))
    return 217; // CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
  return machine.enabledPeers.insert({gpu, peer}).second
             ? kSuccess
             : kPeerAccessAlreadyEnabled;
}

int cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
  if (machine.current < 0)
    return kInvalidContext;
  *address = machine.nextAddress;
  machine.nextAddress += bytes;
  machine.blocks[*address] = {nameOf(machine.current), bytes};
  return kSuccess;
}

int cuMemFree_v2(unsigned long long address) {
  auto block = machine.blocks.find(address);
  if (block == machine.blocks.end() ||
      block->second.place != nameOf(machine.current))
    return kInvalidValue;
  machine.model.drain();
  machine.blocks.erase(block);
  return kSuccess;
}

int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags) {
  constexpr unsigned kPortable = 1;
  if (machine.current < 0)
    return kInvalidContext;
  if (flags != kPortable || machine.memoriesGiven == machine.memories.size())
    return kInvalidValue;
  machine.blocks[addressOf(memory)] = {
      machine.memories[machine.memoriesGiven++], bytes};
  return kSuccess;
}

int cuMemHostUnregister(void *memory) {
  machine.model.drain();
  return machine.blocks.erase(addressOf(memory)) ? kSuccess : kInvalidValue;
}

int cuMemcpyPeerAsync(unsigned long long to, void *toContext,
                      unsigned long long from, void *fromContext, size_t bytes,
                      void *stream) {
  const int source = gpuOf(fromContext), target = gpuOf(toContext);
  if (source < 0 || target < 0 ||
      machine.placeOf(from, bytes) != nameOf(source) ||
      machine.placeOf(to, bytes) != nameOf(target))
    return kInvalidValue;
  if (!machine.enabledPeers.count({source, target}))
    return kPeerAccessNotEnabled; // the real driver would copy through the host
  return machine.enqueueCopy(to, from, bytes, stream);
}

int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes,
                         void *stream) {
  return machine.enqueueCopy(to, addressOf(from), bytes, stream);
}

int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes,
                         void *stream) {
  return machine.enqueueCopy(addressOf(to), from, bytes, stream);
}

int cuStreamCreate(void **stream, unsigned) {
  if (machine.current < 0)
    return kInvalidContext;
  machine.model.streams.push_back({machine.current, {}});
  *stream = &machine.model.streams.back();
  return kSuccess;
}

int cuStreamDestroy_v2(void *stream) {
  machine.model.drain();
  const size_t before = machine.model.streams.size();
  machine.model.streams.remove_if(
      [&](const CopyStream &each) { return &each == stream; });
  return machine.model.streams.size() < before ? kSuccess : kInvalidHandle;
}

int cuStreamWaitEvent(void *stream, void *handle, unsigned) {
  CopyEvent *event = machine.eventOf(handle);
  return event ? machine.enqueue(stream, {Work::wait, nullptr, 0, event})
               : kInvalidHandle;
}

int cuEventCreate(void **event, unsigned) {
  if (machine.current < 0)
    return kInvalidContext;
  machine.events.push_back({machine.current});
  *event = &machine.events.back();
  return kSuccess;
}

int cuEventDestroy_v2(void *handle) {
  machine.model.drain();
  const size_t before = machine.events.size();
  machine.events.remove_if(
      [&](const CopyEvent &event) { return &event == handle; });
  return machine.events.size() < before ? kSuccess : kInvalidHandle;
}

int cuEventRecord(void *handle, void *stream) {
  CopyEvent *event = machine.eventOf(handle);
  if (!event || event->device != machine.current)
    return kInvalidHandle;
  ++event->asked;
  const int result = machine.enqueue(stream, {Work::record, nullptr, 0, event});
  event->asked -= result != kSuccess;
  return result;
}

int cuEventQuery(void *handle) {
  CopyEvent *event = machine.eventOf(handle);
  if (!event)
    return kInvalidHandle;
  if (!event->isLeft())
    return kSuccess;
  for (double before = -1; event->isLeft() && before != machine.model.now;) {
    before = machine.model.now;
    machine.model.advance();
  }
  return kNotReady; // even if it has been reached by now
}

int cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  const CopyEvent *first = machine.eventOf(begin), *last = machine.eventOf(end);
  if (!first || !last || first->device != last->device)
    return kInvalidHandle;
  if (first->isLeft() || last->isLeft())
    return kNotReady;
  *milliseconds = float((last->when - first->when) * 1e3);
  return kSuccess;
}

} // extern "C"
