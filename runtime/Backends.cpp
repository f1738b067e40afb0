//===- Backends.cpp - which back ends there are ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The one place that knows which back ends are built in.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/HostBackend.h"
#include "runtime/job/Rendezvous.h"
#if BLINK_HAVE_CUDA
#include "runtime/cuda/CudaBackend.h"
#endif

namespace blink::runtime {

#if !BLINK_HAVE_CUDA
static const BackendEntry kCudaBackend = {blinkBackendCuda, "CUDA", nullptr,
                                          nullptr, nullptr};
#endif

const BackendEntry *const kBackends[] = {&kCudaBackend, &kHostBackend};

const BackendEntry *findBackend(blinkBackend_t code) {
  for (const BackendEntry *entry : kBackends)
    if (entry->code == code)
      return entry;
  return nullptr;
}

Status createBackend(const BackendEntry &entry, const BackendRequest &request,
                     std::shared_ptr<Backend> &backend) {
  if (!entry.make)
    return {blinkInvalidUsage, std::string("this build of Blink has no ") +
                                   entry.name +
                                   " back end: use blinkBackendHost"};
  std::shared_ptr<Backend> made = entry.make();
  Status status = request.id ? made->join(request) : made->createAll(request);
  if (status.ok()) {
    made->nameTrace();
    backend = std::move(made);
  } else if (request.id && made->job().attached()) {
    // The others need not wait for it any more.
    made->job().fail(couldNotJoin(request.rank, status));
  }
  return status;
}

void runCalls(PendingCall *calls, size_t numCalls) {
  // Nearly always; and nothing is allocated for it.
  if (numCalls == 1)
    return calls->backend->run(&calls, 1);
  std::vector<PendingCall *> together;
  together.reserve(numCalls);
  for (const BackendEntry *entry : kBackends) {
    together.clear();
    for (size_t i = 0; i < numCalls; ++i)
      if (&calls[i].backend->entry() == entry)
        together.push_back(&calls[i]);
    if (!together.empty())
      together[0]->backend->run(together.data(), together.size());
  }
}

Status allocateMemory(size_t bytes, void *&memory) {
  for (const BackendEntry *entry : kBackends)
    if (entry->providesMemory && entry->providesMemory())
      return entry->allocate(bytes, memory);
  return {blinkInternalError, "no back end provides memory"};
}

} // namespace blink::runtime
