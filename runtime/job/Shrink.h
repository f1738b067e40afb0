//===- Shrink.h - going on with some of the ranks ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_SHRINK_H
#define BLINK_RUNTIME_JOB_SHRINK_H

#include "runtime/job/Successor.h"

#include <atomic>

namespace blink::runtime {

/// The arguments of blinkCommShrink.
struct ShrinkRequest {
  std::vector<int> excluded; ///< ranks, ascending
  SuccessorSettings settings;

  bool operator==(const ShrinkRequest &other) const {
    return excluded == other.excluded && settings == other.settings;
  }
};

/// How far a thread has come in a shrink.
enum class ShrinkStage { proposed, agreed, made, finished };
/// Called at these stages, for tests that kill or delay a rank. `rank`: the
/// lowest of the thread's ranks, in the old job.
using ShrinkHook = void (*)(int rank, ShrinkStage stage);
extern std::atomic<ShrinkHook> shrinkHook;

/// Makes a job of the ranks of `old` that are not excluded, in their order,
/// with the programs that the files of `old` have for their GPUs. Called for
/// `self`, ranks of this process, in ascending order. Returns when all
/// remaining ranks have called it, with the same result on all of them, success
/// or an error (whose sentences may differ). `old` has failed afterwards,
/// unless the request itself is wrong. Errors: no program fits; as
/// ShrinkAgreement's; the back end's.
///
/// When it returns success, no rank writes to a buffer of a call on `old` any
/// more, and no remaining rank reads one:
/// - A rank says that it is ready only after cancel(), when no thread or kernel
///   of its process is in a call on `old`.
/// - No rank ever writes to another rank's *input*; readers may look at it.
/// - On the host no rank writes to another rank's output either, only to slots,
///   which belong to the job. Kernels do write to outputs of which they were
///   told; shrink() therefore also waits for excluded ranks that are alive
///   (Backend::drained).
Status shrink(Backend &old, const std::vector<int> &self,
              const ShrinkRequest &request, std::shared_ptr<Backend> &result);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_SHRINK_H
