//===- SwitchMemory.h - memory that a switch reads and writes ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Equally large memory on each of some GPUs, bound to one CUDA multicast
// object: a GPU has its own part at one address, and all parts at once at
// another, where `multimem` instructions have the NVSwitch add or copy (NVLink
// SHARP). Plain loads and stores must not use the other.
//
// GPUs may be of several processes. CUDA wants the object to have all its GPUs
// before any memory, and all memory before an address is used, and waits itself
// for what is missing, without end: so processes make their steps together
// (SwitchMeeting.h).
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_SWITCHMEMORY_H
#define BLINK_RUNTIME_CUDA_SWITCHMEMORY_H

#include "runtime/Status.h"
#include "runtime/cuda/MappedMemory.h"
#include "runtime/job/Descriptor.h"

#include <memory>
#include <vector>

namespace blink::runtime {

/// Success if the device does what such memory needs.
Status canMulticast(int device);

class SwitchMemory {
public:
  SwitchMemory() = default;
  SwitchMemory(const SwitchMemory &) = delete;
  ~SwitchMemory();

  /// All steps, for `devices` of this process, no two alike, each of which
  /// canMulticast(). Errors of these: a driver that has no multicast objects;
  /// memory. What has been made then goes with this.
  Status create(const std::vector<int> &devices, size_t bytes);

  // The steps, each once.

  /// Makes the object, for `bytes` or a little more, zeros nowhere promised, on
  /// each of so many devices like this one. Shared: exportTo() works.
  Status makeObject(int device, size_t numDevices, size_t bytes, bool shared);
  /// Or takes another process's, which is for so many bytes.
  Status import(const Descriptor &file, size_t bytes);
  /// A file by which other processes take the object.
  Status exportTo(Descriptor &file) const;
  /// Adds devices of this process. Before all devices of all processes have
  /// been added, none gives memory.
  Status add(const std::vector<int> &devices);
  /// Gives memory of these, and addresses to them.
  Status bind();
  /// Takes away the addresses of all parts: this process has no use any more
  /// for the others' memory. Its own stays bound for them until this ends.
  void unmapAll() { all_.reset(); }

  /// The part of devices[index], which only that device uses.
  char *own(size_t index) const { return parts_[index]->memory.begin(); }
  /// All parts, for each of the devices.
  char *all() const { return all_->begin(); }
  size_t bytes() const { return bytes_; }

private:
  struct Part {
    CUdevice device = 0;
    bool bound = false;
    AllocationHandle piece;
    MappedMemory memory;
  };
  Status addPart(int device);
  Status bind(Part &part);
  Status mapAll();

  size_t bytes_ = 0;
  bool shared_ = false; ///< with other processes
  AllocationHandle object_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::unique_ptr<MappedMemory> all_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_SWITCHMEMORY_H
