//===- Copier.h - who copies while rates are measured -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The seam between what is measured and what does it: GPUs by CUDA's driver
// (CudaCopier.h), or cores of a machine without GPUs (HostCopier.h).
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
    gpu,  ///< of GPU `index` of the machine; of a core, the one it works in
    numa, ///< of the host, of NUMA node `index` by the system's numbers
  };
  Kind kind;
  int index;
};

/// What one worker copies: so many blocks, one after the other.
struct CopyWork {
  Place from, to;
  int blocks;
};

class Copier {
public:
  virtual ~Copier() = default;

  /// What measures, for people: "NVIDIA H100 80GB HBM3, CUDA 12.8".
  virtual std::string describe() const = 0;

  /// Bytes of a block.
  virtual size_t blockBytes() const = 0;

  /// Whether it can copy from one to the other, directly.
  virtual bool canCopy(Place from, Place to) = 0;

  /// Does all of `works` at once and returns, of each, how many seconds after
  /// the common start each of its blocks was there: ascending, as many as it
  /// has blocks. Works may have canCopy() places only. Waits for a bounded
  /// time. Errors: a call that failed, a copy that does not end.
  virtual llvm::Expected<std::vector<std::vector<double>>>
  copy(llvm::ArrayRef<CopyWork> works) = 0;
};

} // namespace blink

#endif // BLINK_COMPILER_PROBE_MEASURE_COPIER_H
