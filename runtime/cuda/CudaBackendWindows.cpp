//===- CudaBackendWindows.cpp - registered buffers ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Buffers that the ranks of several processes register, so that the others
// reach them directly. A window has one number on all ranks, and all of them
// have it or none.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBackend.h"

namespace blink::runtime {

Status CudaBackend::registerBuffer(int self, void *buffer, size_t bytes,
                                   uintptr_t &handle) {
  handle = 0;
  std::lock_guard<std::mutex> lock(mutex_);
  if (oneProcess_)
    return registerHere(self, static_cast<char *>(buffer), bytes, handle);
  FileOffer files; // until all have mapped
  const Status offered = offerWindow(self, buffer, bytes, files);
  Window window;
  Registration all;
  const Status status = registerTogether(
      job_, self, usedWindows(), offered,
      [&](uint32_t number) { return openWindow(self, number, window); }, all);
  if (!status.ok())
    return failure(); // a lane may have found out
  const uint32_t index = all.number;
  // Nobody writes there if one of all could not map it.
  if (!all.outcome.ok()) {
    closeWindow(self, index, window);
    // The buffer is its owner's again when nobody has it mapped.
    const Status after = stepTogether(self);
    return after.ok() ? all.outcome : after;
  }
  window.rank = self;
  window.begin = static_cast<const char *>(buffer);
  window.bytes = bytes;
  window.use = BlockUse(buffer, bytes);
  if (windows_.size() <= index)
    windows_.resize(index + 1);
  windows_[index] = std::move(window);
  handle = index + 1;
  return {};
}

/// The same where all ranks are in this process, which has the buffer mapped:
/// the devices of ranks that reach it need access.
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
  if (index == windows_.size())
    windows_.emplace_back();
  windows_[index] = {self, buffer, bytes, BlockUse(buffer, bytes), {}};
  handle = index + 1;
  return {};
}

/// Tells the others what they need to map this rank's buffer. Errors: it is
/// none that they could.
Status CudaBackend::offerWindow(int self, const void *buffer, size_t bytes,
                                FileOffer &files) {
  WindowOffer &offer = peers_[self].offer;
  offer = {};
  DeviceScope scope(ranks_[self].device);
  SharedAllocation allocation;
  Status status = SharedAllocation::find(buffer, bytes, allocation);
  if (status.ok())
    status = allocation.share(files, offer.note);
  // What is not offered the others do not map: they would fail, too, and say
  // something else.
  if (!status.ok())
    return {status.code,
            "the buffer of rank " + std::to_string(self) + ": " + status.text};
  offer.address = reinterpret_cast<uint64_t>(buffer);
  offer.bytes = bytes;
  return {};
}

/// Bit w is set if window w is in use.
uint32_t CudaBackend::usedWindows() const {
  uint32_t used = 0;
  for (size_t w = 0; w < windows_.size(); ++w)
    used |= uint32_t(windows_[w].begin != nullptr) << w;
  return used;
}

/// Maps what the others offer as their windows of number `index`.
Status CudaBackend::openWindow(int self, size_t index, Window &window) {
  DeviceScope scope(ranks_[self].device);
  window.others.resize(ranks_.size());
  for (size_t other = 0; other < ranks_.size(); ++other) {
    const WindowOffer &offer = peers_[other].offer;
    if (offer.address == 0 || !reaches(size_t(self), other))
      continue;
    Status status;
    uint64_t address = offer.address;
    if (inThisProcess(other)) {
      SharedAllocation allocation;
      status = SharedAllocation::find(reinterpret_cast<const void *>(address),
                                      offer.bytes, allocation);
      if (status.ok())
        status = allocation.openTo(ranks_[self].device);
    } else {
      std::shared_ptr<char> &mapped = window.others[other];
      status =
          mapShared(offer.note,
                    std::chrono::steady_clock::now() + job_.timeout(), mapped);
      address = reinterpret_cast<uint64_t>(mapped.get());
    }
    if (status.ok())
      status = cudaStatus(
          copyToDevice(ranks_[other].windows.get() + index * sizeof(address),
                       &address, sizeof(address)),
          "cannot note it");
    if (!status.ok())
      return Status(status.code, "rank ", self,
                    " cannot use the registered buffer of rank ", other, ": ",
                    status.text);
  }
  return {};
}

/// Unmaps the others' windows. The table forgets them, too, as far as the
/// device lets it: no place names them any more.
void CudaBackend::closeWindow(int self, size_t index, Window &window) {
  window = Window();
  DeviceScope scope(ranks_[self].device);
  const uint64_t nowhere = 0;
  for (const Rank &other : ranks_)
    if (!other.here && index < kMaxTogether)
      copyToDevice(other.windows.get() + index * sizeof(nowhere), &nowhere,
                   sizeof(nowhere));
}

Status CudaBackend::deregisterBuffer(int self, uintptr_t handle) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (handle > windows_.size() || !windows_[handle - 1].begin ||
      windows_[handle - 1].rank != self)
    return {blinkInvalidArgument, "the handle is of no registered buffer"};
  if (oneProcess_) {
    windows_[handle - 1] = Window();
    return {};
  }
  closeWindow(self, handle - 1, windows_[handle - 1]);
  return stepTogether(self);
}

/// What a rank of this back end posts to others for a buffer of its call: where
/// they may reach it, or 0.
uint64_t CudaBackend::exchangedPtr(int rank, const void *buffer,
                                   uint64_t bytes) const {
  const char *begin = static_cast<const char *>(buffer);
  const auto address = reinterpret_cast<uint64_t>(begin);
  if (oneProcess_ && !severalDevices_)
    return address;
  for (size_t w = 0; w < windows_.size(); ++w) {
    const Window &window = windows_[w];
    if (window.begin && window.rank == rank && begin >= window.begin &&
        begin + bytes <= window.begin + window.bytes)
      return oneProcess_
                 ? address
                 : (w + 1) << kOffsetBits | uint64_t(begin - window.begin);
  }
  return oneProcess_ && isOpenToPeers(begin) ? address : 0;
}

} // namespace blink::runtime
