//===- Life.cpp - making and ending groups --------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/torch/Backend.h"
#include "runtime/bindings/torch/Errors.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/utils/pybind.h>

#include <unistd.h>

#include <algorithm>

namespace blink::pytorch {

Backend::Backend(const c10::intrusive_ptr<c10d::Store> &store, int rank,
                 int size, c10::intrusive_ptr<Options> options)
    : c10d::Backend(rank, size), store_(store), options_(std::move(options)),
      process_(getpid()), host_(std::make_unique<Host>()) {
  init();
  if (size > 1)
    host_->communicator = std::make_shared<Communicator>(meeting("host"), -1);
  host_->messages = std::make_unique<HostMessages>(
      rank, size, [this] { return host_->communicator->get(); });
}

Backend::Backend(Backend &whole, const std::vector<int> &excluded,
                 c10::intrusive_ptr<Options> options)
    : Backend(
          c10::make_intrusive<c10d::PrefixStore>(
              "blink/shrunk/" + std::to_string(whole.shrunk_++), whole.store_),
          whole.rank_ -
              int(std::count_if(excluded.begin(), excluded.end(),
                                [&](int rank) { return rank < whole.rank_; })),
          whole.size_ - int(excluded.size()), std::move(options)) {
  const std::lock_guard<std::mutex> calls(whole.gpuCalls_);
  for (auto &[device, gpu] : whole.gpus_)
    gpus_.emplace(device,
                  Gpu{size_ > 1 ? gpu.communicator->shrink(excluded) : nullptr,
                      gpu.calls,
                      {}});
}

Backend::~Backend() {
  if (getpid() != process_) {
    // In a child of fork(), the threads and communicators belong to the parent.
    (void)host_.release();
    for (auto &[device, gpu] : gpus_)
      new std::shared_ptr<Communicator>(gpu.communicator);
    return;
  }
  endAll(false);
}

/// Waits for calls and messages that are under way; after revoking they end
/// soon.
void Backend::endAll(bool isAbort) {
  // Tasks may free tensors that Python refers to, for which they need its lock.
  std::optional<pybind11::gil_scoped_release> noLock;
  if (Py_IsInitialized() && PyGILState_Check())
    noLock.emplace();
  isEnded_ = true;
  if (isAbort) {
    if (host_->communicator)
      host_->communicator->revoke();
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto &[device, gpu] : gpus_)
      if (gpu.communicator)
        gpu.communicator->revoke();
  }
  host_->messages->drain();
  host_->calls->drain();
}

void Backend::shutdown() { endAll(false); }
void Backend::abort() { endAll(true); }

Meeting Backend::meeting(const std::string &what) const {
  return {store_, "blink/" + what, rank_, size_, options_->timeout};
}

/// Requires gpuCalls_. `mayMeet`: all ranks make this call, so they can make a
/// communicator.
Backend::Gpu &Backend::gpu(c10::Device device, bool mayMeet) {
  TORCH_CHECK(device.is_cuda(), "Blink: tensors are on ", device,
              ": expected cpu or cuda");
  if (const auto found = gpus_.find(device.index()); found != gpus_.end())
    return found->second;
  if (!mayMeet)
    raise("a message between GPUs is the group's first call, which only its "
          "two ranks make: give init_process_group a device_id, or call "
          "barrier() before");
  const c10::impl::VirtualGuardImpl guard(device.type());
  std::shared_ptr<Communicator> communicator;
  if (size_ > 1) // the n-th GPU of a rank meets the n-th of the others
    communicator = std::make_shared<Communicator>(
        meeting("cuda/" + std::to_string(gpus_.size())), device.index());
  Gpu made{std::move(communicator),
           guard.getStreamFromGlobalPool(device, false),
           {}};
  const std::lock_guard<std::mutex> lock(mutex_);
  return gpus_.emplace(device.index(), std::move(made)).first->second;
}

void Backend::setTimeout(std::chrono::milliseconds timeout) {
  TORCH_WARN_ONCE("Blink: the time limit of a group is that of its making; the "
                  "new value is that of communicators made from now on");
  options_->timeout = timeout;
}

void Backend::setBoundDeviceId(std::optional<at::Device> device) {
  c10d::Backend::setBoundDeviceId(device);
  if (device && device->is_cuda())
    eagerConnectSingleDevice(*device);
}

void Backend::eagerConnectSingleDevice(at::Device device) {
  const std::lock_guard<std::mutex> calls(gpuCalls_);
  if (device.is_cuda())
    gpu(device, true);
}

c10::intrusive_ptr<c10d::Backend>
Backend::split(const c10::intrusive_ptr<c10d::Store> &store,
               const std::vector<int> &ranks,
               const c10::intrusive_ptr<Options> &options) {
  const auto here = std::find(ranks.begin(), ranks.end(), rank_);
  if (here == ranks.end())
    return {};
  auto own = options ? options->clone() : options_->clone();
  return c10::make_intrusive<Backend>(store, int(here - ranks.begin()),
                                      int(ranks.size()), std::move(own));
}

/// All ranks that remain call this. With the flag SHRINK_ABORT, calls under way
/// end; those on GPUs always do.
c10::intrusive_ptr<c10d::Backend>
Backend::shrink(const std::vector<int64_t> &excluded, int flags,
                const c10::intrusive_ptr<Options> &options) {
  // On the host no rank writes to another rank's tensors, so the remaining
  // ranks can simply make a new communicator; the numbers that its ranks had
  // before mean nothing to the schedules.
  constexpr int kShrinkAbort = 1;
  if ((flags & kShrinkAbort) && host_->communicator)
    host_->communicator->revoke();
  return c10::make_intrusive<Backend>(
      *this, std::vector<int>(excluded.begin(), excluded.end()),
      options ? options->clone() : options_->clone());
}

c10d::ErrorType Backend::getError() {
  std::exception_ptr error =
      host_->communicator ? host_->communicator->failure() : nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto &[device, gpu] : gpus_)
    if (!error && gpu.communicator)
      error = gpu.communicator->failure();
  return error ? c10d::ErrorType::REMOTE_ERROR : c10d::ErrorType::SUCCESS;
}

} // namespace blink::pytorch
