//===- Copier.h - copies while rates are measured ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The interface between the measurement and the devices that copy: GPUs through
// CUDA's driver (CudaCopier.h), or cores of a machine without GPUs
// (HostCopier.h).
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PROBE_MEASURE_COPIER_H
#define BLINK_COMPILER_PROBE_MEASURE_COPIER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace blink {

/// Memory that can be copied from or to.
struct Place {
  enum Kind {
    gpu,  ///< of GPU `index` of the machine; of a core: its working memory
    numa, ///< of the host: NUMA node with the system's number `index`
  };
  Kind kind;
  int index;
};

/// The work of one copy engine or core: so many blocks, in sequence.
struct CopyWork {
  Place from, to;
  int blocks;
};

class Copier {
public:
  virtual ~Copier() = default;

  /// Returns the measuring device, for display: "NVIDIA H100 80GB HBM3, CUDA
  /// 12.8".
  virtual std::string describe() const = 0;

  /// Returns the bytes of a block.
  virtual size_t blockBytes() const = 0;

  /// Whether it can copy between the two places directly.
  virtual bool canCopy(Place from, Place to) = 0;

  /// Performs all of `works` at the same time. Returns for each of them how
  /// many seconds after the common start each of its blocks had arrived: as
  /// many values as it has blocks, ascending. Works may only use pairs of
  /// places that canCopy() accepts. The wait is bounded. Errors: a call that
  /// failed, a copy that does not end.
  virtual llvm::Expected<std::vector<std::vector<double>>>
  copy(llvm::ArrayRef<CopyWork> works) = 0;
};

} // namespace blink

#endif // BLINK_COMPILER_PROBE_MEASURE_COPIER_H
