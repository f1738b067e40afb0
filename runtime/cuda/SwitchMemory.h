//===- SwitchMemory.h - memory that a switch reads and writes ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Memory of the same size on each of several GPUs, bound to one CUDA multicast
// object. A GPU reaches its own part at one address. At another address it
// reaches all parts at once: there `multimem` instructions make the NVSwitch
// add or copy (NVLink SHARP), and plain loads and stores must not be used.
//
// The GPUs may belong to several processes. CUDA requires that the object has
// all its GPUs before any memory is bound, and all memory before an address is
// used, and waits without limit for what is missing. So processes take these
// steps together (SwitchMeeting.h).
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

/// Returns success if the device has what such memory needs.
Status canMulticast(int device);

class SwitchMemory {
public:
  SwitchMemory() = default;
  SwitchMemory(const SwitchMemory &) = delete;
  ~SwitchMemory();

  /// Takes all steps for `devices` of this process, which are distinct and each
  /// pass canMulticast(). Errors: a driver without multicast objects; memory.
  /// After an error this object must be destroyed, which frees what has been
  /// made.
  Status create(const std::vector<int> &devices, size_t bytes);

  // The steps, each to be called once.

  /// Makes the object for at least `bytes` on each of `numDevices` devices like
  /// this one. The memory is not promised to be zero. If `shared`, exportTo()
  /// can be used.
  Status makeObject(int device, size_t numDevices, size_t bytes, bool shared);
  /// Takes another process's object instead, which is for `bytes`.
  Status import(const Descriptor &file, size_t bytes);
  /// Makes a file by which other processes take the object.
  Status exportTo(Descriptor &file) const;
  /// Adds devices of this process. No process may bind memory before all
  /// devices of all processes have been added.
  Status add(const std::vector<int> &devices);
  /// Binds memory of these devices, and maps it.
  Status bind();
  /// Unmaps the addresses of all parts, once this process no longer uses the
  /// others' memory. Its own memory stays bound for them until this object is
  /// destroyed.
  void unmapAll() { all_.reset(); }

  /// The part of devices[index]; only that device uses this address.
  char *own(size_t index) const { return parts_[index]->memory.begin(); }
  /// All parts, at an address that each of the devices uses.
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
  bool shared_ = false; ///< whether other processes share the object
  AllocationHandle object_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::unique_ptr<MappedMemory> all_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_CUDA_SWITCHMEMORY_H
