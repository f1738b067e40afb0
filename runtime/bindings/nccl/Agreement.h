//===- Agreement.h - which library serves a communicator --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// With a fallback, all ranks of a communicator have to use the same library,
// but only some of them may know what prevents the use of Blink: that there is
// no schedule for them, or that they are on several hosts. Each rank therefore
// reports to the process that made the id whether it can use Blink. That
// process decides when all ranks have reported, and hands out the fallback's
// id. This happens twice: before the ranks try Blink, and after.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_NCCL_AGREEMENT_H
#define BLINK_RUNTIME_BINDINGS_NCCL_AGREEMENT_H

#include "runtime/bindings/nccl/Errors.h"

namespace blink::nccl {

/// When a rank reports.
enum class Stage : uint32_t {
  before, ///< whether it could try Blink
  after   ///< whether Blink's communicator was made
};

enum class Server : uint32_t { blink, fallback, nobody };

struct Decision {
  Server server = Server::nobody;
  std::string why; ///< why not Blink, or why no library; from the first rank
                   ///< that reported a reason
  ncclUniqueId inner{}; ///< the fallback's id
};

/// Lets the ranks that get this id, which blinkGetUniqueId has made, agree: a
/// thread of this process listens to them, for an hour at most. Returns "" or
/// what is wrong.
std::string openAgreement(ncclUniqueId &id);

/// Returns true if the ranks that have this id agree with each other.
bool hasAgreement(const ncclUniqueId &id);

/// Reports at `stage` that rank `rank` of `nranks` can use Blink or, if `why`
/// is not empty, why not; waits until all ranks have reported. Errors: remote
/// error if a rank does not report in time, or the process that made the id
/// does not answer.
ncclResult_t agree(const ncclUniqueId &id, Stage stage, int rank, int nranks,
                   const std::string &why, Decision &decision);

} // namespace blink::nccl

#endif // BLINK_RUNTIME_BINDINGS_NCCL_AGREEMENT_H
