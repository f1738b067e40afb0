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

/// What blinkCommShrink asks for.
struct ShrinkRequest {
  std::vector<int> excluded; ///< ranks, ascending
  SuccessorSettings settings;

  bool operator==(const ShrinkRequest &other) const {
    return excluded == other.excluded && settings == other.settings;
  }
};

/// How far a thread is in a shrink.
enum class ShrinkStage { proposed, agreed, made, finished };
/// Called there, for tests that kill or delay. `rank`: the lowest of the
/// thread's, in the old job.
using ShrinkHook = void (*)(int rank, ShrinkStage stage);
extern std::atomic<ShrinkHook> shrinkHook;

/// Makes a job of the ranks of `old` that are not excluded, in their order,
/// with the programs that the files of `old` have for their GPUs. Called for
/// `self`, ranks of this process, in ascending order; returns when all that
/// remain have called it, and says the same to all of them, success or an error
/// (but for the sentence). `old` has failed afterwards, unless the request
/// itself is wrong. Errors: no program fits; as ShrinkAgreement's; the back
/// end's.
///
/// When it returns success, nobody writes to a buffer of a call on `old` any
/// more, and no rank that remains reads one:
/// - A rank says that it is ready after cancel(): when no thread or kernel of
/// its
///   process is in a call on `old`.
/// - Nobody ever writes to another rank's *input*; readers may look at it.
/// - On the host nobody writes to another rank's output either, only to slots,
///   which are the job's own. Kernels do, to outputs that they were told
///   of: so excluded ranks that live are waited for, too (Backend::drained).
Status shrink(Backend &old, const std::vector<int> &self,
              const ShrinkRequest &request, std::shared_ptr<Backend> &result);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_SHRINK_H
