//===- SwitchMemory.h - memory that a switch reads and writes ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Equally large memory on each of some GPUs, bound to one CUDA multicast
// object: a GPU has its own part at one address, and all parts at once at
// another, where `multimem` instructions have the NVSwitch add or copy (NVLink
// SHARP). Plain loads and stores must not use the other.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_CUDA_SWITCHMEMORY_H
#define BLINK_RUNTIME_CUDA_SWITCHMEMORY_H

#include "runtime/Status.h"
#include "runtime/cuda/MappedMemory.h"

#include <memory>
#include <vector>

namespace blink::runtime {

class SwitchMemory {
public:
  SwitchMemory() = default;
  SwitchMemory(const SwitchMemory &) = delete;
  ~SwitchMemory();

  /// `bytes` or a little more on each of `devices`, of this process and no two
  /// alike, zeros nowhere promised. Once. Errors: a device or driver that has
  /// no multicast objects; memory. What has been made then goes with this.
  Status create(const std::vector<int> &devices, size_t bytes);

  /// The part of devices[index], which only that device uses.
  char *own(size_t index) const { return parts_[index]->memory.begin(); }
  /// All parts, for each of the devices.
  char *all() const { return all_.begin(); }
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

  size_t bytes_ = 0;
  AllocationHandle object_;
  std::vector<std::unique_ptr<Part>> parts_;
  MappedMemory all_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_SWITCHMEMORY_H
