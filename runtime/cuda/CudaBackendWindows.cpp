//===- CudaBackendWindows.cpp - registered buffers ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Buffers that ranks register, so that other ranks reach them directly. In one
// process a rank registers a buffer by itself. Across processes buffers are
// windows (job/WindowBoard.h): the others map them and tell where, and this
// rank's kernels post these addresses in the pointer exchange (LaneCall.h).
//
// For each rank of another process there is a table on this rank's device,
// which says by number where that process has mapped the windows. An entry is
// written before the first launch that names the window. It is cleared when the
// window is withdrawn, after this rank's last kernel has ended. A graph that
// was captured before then finds no address there, posts that, and goes through
// slots. A number that a graph may name is not used again.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBackend.h"

#include "runtime/Log.h"
#include "runtime/core/Memory.h"

namespace blink::runtime {

Status CudaBackend::registerBuffer(int self, void *buffer, size_t bytes,
                                   uintptr_t &handle) {
  handle = 0;
  std::lock_guard<std::mutex> lock(mutex_);
  const char *const begin = static_cast<const char *>(buffer);
  return oneProcess_ ? registerHere(self, begin, bytes, handle)
                     : offerWindow(self, begin, bytes, handle);
}

Status CudaBackend::deregisterBuffer(int self, uintptr_t handle) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (handle == 0 || handle > windows_.size() || !windows_[handle - 1].begin ||
      windows_[handle - 1].rank != self)
    return {blinkInvalidArgument, "the handle is of no registered buffer"};
  if (oneProcess_) {
    // Waits without the lock, which abort() takes. Other ranks may register
    // buffers meanwhile.
    lock.unlock();
    finish(self);
    lock.lock();
    windows_[handle - 1] = Window();
    return {};
  }
  Window &window = windows_[handle - 1];
  window.open = false;
  // Waits without the lock, which abort() takes.
  lock.unlock();
  finish(self);
  lock.lock();
  Status status = tellTables(self, uint32_t(handle - 1), false);
  lock.unlock();
  if (status.ok())
    status = board_.withdraw(uint32_t(handle - 1));
  lock.lock();
  if (!status.ok())
    return status;
  if (window.captured)
    board_.keep(uint32_t(handle - 1));
  window = Window();
  return {};
}

//===-- In one process ----------------------------------------------------===//

/// Gives the devices of ranks that reach the buffer access to it.
Status CudaBackend::registerHere(int self, const char *buffer, size_t bytes,
                                 uintptr_t &handle) {
  DeviceScope scope(ranks_[self].device);
  for (size_t other = 0; severalDevices_ && other < ranks_.size(); ++other) {
    if (ranks_[other].device == ranks_[self].device ||
        !reaches(size_t(self), other))
      continue;
    SharedAllocation allocation;
    Status status = SharedAllocation::find(buffer, bytes, allocation);
    if (status.ok())
      status = allocation.openTo(ranks_[other].device);
    if (!status.ok())
      return Status(status.code, "the buffer of rank ", self, ": ",
                    status.text);
  }
  size_t index = 0;
  while (index < windows_.size() && windows_[index].begin)
    ++index;
  setWindow(self, index, buffer, bytes);
  handle = index + 1;
  return {};
}

CudaBackend::Window &CudaBackend::setWindow(int self, size_t index,
                                            const char *buffer, size_t bytes) {
  if (windows_.size() <= index)
    windows_.resize(index + 1);
  Window &window = windows_[index];
  window.rank = self;
  window.begin = buffer;
  window.bytes = bytes;
  window.use = BlockUse(buffer, bytes);
  return window;
}

//===-- Across processes: the owner ---------------------------------------===//

/// Tells the others what they need to map this rank's buffer. Errors: memory
/// that they cannot map; too many windows.
Status CudaBackend::offerWindow(int self, const char *buffer, size_t bytes,
                                uintptr_t &handle) {
  const uint32_t number = board_.freeNumber();
  if (number == kMaxWindows)
    return Status(blinkInvalidUsage, kMaxWindows,
                  " buffers of this rank are registered already: register "
                  "memory in fewer pieces, or deregister some");
  WindowOffer &offer = offerOf(self, number);
  offer = {};
  DeviceScope scope(ranks_[self].device);
  SharedAllocation allocation;
  auto files = std::make_unique<FileOffer>();
  Status status = SharedAllocation::find(buffer, bytes, allocation);
  if (status.ok())
    status = allocation.share(*files, offer.note);
  if (!status.ok())
    return Status(status.code, "the buffer of rank ", self, ": ", status.text);
  offer.address = reinterpret_cast<uint64_t>(buffer);
  offer.bytes = bytes;
  setWindow(self, number, buffer, bytes).files = std::move(files);
  board_.offer(number);
  handle = number + 1;
  return {};
}

/// Writes to this rank's tables where the others have mapped a window; if not
/// `open`, that they have not.
Status CudaBackend::tellTables(int self, uint32_t number, bool open) {
  DeviceScope scope(ranks_[self].device);
  for (size_t other = 0; other < ranks_.size(); ++other) {
    if (!ranks_[other].windows)
      continue; // this rank itself, or one of another server
    // Relaxed: isOpen() of the board loaded with acquire what the reader stored
    // after it.
    const uint64_t address =
        open ? loadRelaxed(&reachedAt(self, number, int(other))) : 0;
    const cudaError_t error =
        copyToDevice(ranks_[other].windows.get() + number * sizeof(address),
                     &address, sizeof(address));
    if (error != cudaSuccess)
      return cudaStatus(error, "cannot note a registered buffer");
  }
  return {};
}

/// Returns whether calls that begin now may use the window.
bool CudaBackend::isOpen(int self, uint32_t number) {
  Window &window = windows_[number];
  if (window.open || window.failed || !board_.isOpen(number))
    return window.open;
  const Status status = tellTables(self, number, true);
  window.open = status.ok();
  window.failed = !status.ok();
  window.files.reset(); // all ranks have mapped it
  if (!status.ok())
    log(LogLevel::warn, self, status.text, ": it is not used");
  return window.open;
}

/// Returns what a rank of this back end posts to others for a buffer of its
/// call: where they may reach it, or 0.
uint64_t CudaBackend::exchangedPtr(const Call &call, const void *buffer,
                                   uint64_t bytes) {
  const int rank = call.rank;
  const char *begin = static_cast<const char *>(buffer);
  const auto address = reinterpret_cast<uint64_t>(begin);
  if (oneProcess_ && !severalDevices_)
    return address;
  for (uint32_t w = 0; w < windows_.size(); ++w) {
    Window &window = windows_[w];
    if (!window.begin || window.rank != rank || begin < window.begin ||
        begin + bytes > window.begin + window.bytes)
      continue;
    if (oneProcess_)
      return address;
    if (!isOpen(rank, w))
      continue;
    window.captured |= isCapturing(reinterpret_cast<cudaStream_t>(call.stream));
    return uint64_t(w + 1) << kOffsetBits | uint64_t(begin - window.begin);
  }
  return oneProcess_ && isOpenToPeers(begin) ? address : 0;
}

//===-- Across processes: the reader --------------------------------------===//

/// Joins the board, once all ranks know each other.
void CudaBackend::beginWindows(int self) {
  std::vector<int> others;
  for (size_t other = 0; other < ranks_.size(); ++other)
    if (int(other) != self && reaches(size_t(self), other))
      others.push_back(int(other));
  board_.begin(job_, boardMemory_, self, others, others,
               {[this, self](int owner, uint32_t number) {
                  return openWindow(self, owner, number);
                },
                [this, self](int owner, uint32_t number) {
                  closeWindow(self, owner, number);
                }});
}

/// Maps what another rank offers, and tells that rank where.
bool CudaBackend::openWindow(int self, int owner, uint32_t number) {
  DeviceScope scope(ranks_[self].device);
  const WindowOffer &offer = offerOf(owner, number);
  Status status;
  uint64_t address = offer.address;
  if (inThisProcess(size_t(owner))) {
    SharedAllocation allocation;
    status = SharedAllocation::find(reinterpret_cast<const void *>(address),
                                    offer.bytes, allocation);
    if (status.ok())
      status = allocation.openTo(ranks_[self].device);
  } else {
    std::shared_ptr<char> &mapped = othersWindows_[{owner, number}];
    status = mapShared(
        offer.note, std::chrono::steady_clock::now() + job_.timeout(), mapped);
    address = reinterpret_cast<uint64_t>(mapped.get());
  }
  if (!status.ok()) {
    othersWindows_.erase({owner, number});
    log(LogLevel::warn, self, "cannot use the registered buffer of rank ",
        owner, ": ", status.text);
    return false;
  }
  storeRelaxed(&reachedAt(owner, number, self), address);
  return true;
}

void CudaBackend::closeWindow(int self, int owner, uint32_t number) {
  // Only after a failure may kernels still be using the window. They end, and
  // no others begin.
  if (job_.failed())
    finish(self);
  DeviceScope scope(ranks_[self].device);
  othersWindows_.erase({owner, number});
}

} // namespace blink::runtime
