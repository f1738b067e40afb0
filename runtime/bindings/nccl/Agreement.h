//===- Agreement.h - who serves a communicator ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Where there is a fallback, all ranks of a communicator have to take the same
// library, and only some of them may know what stands against Blink: that there
// is no schedule for them, or that they are on several hosts. So each says what
// it can at the process that made the id, which decides when all have, and has
// the fallback's id for them. Twice: before they try Blink, and after that.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_BINDINGS_NCCL_AGREEMENT_H
#define BLINK_RUNTIME_BINDINGS_NCCL_AGREEMENT_H

#include "runtime/bindings/nccl/Errors.h"

namespace blink::nccl {

/// When a rank says what it can.
enum class Stage : uint32_t {
  before, ///< whether it could try
  after   ///< whether Blink's communicator was made
};

enum class Server : uint32_t { blink, fallback, nobody };

struct Decision {
  Server server = Server::nobody;
  std::string why; ///< not Blink, or nobody: of the first rank that said so
  ncclUniqueId inner{}; ///< of the fallback
};

/// Lets the ranks that get this id, which blinkGetUniqueId has made, agree: a
/// thread of this process hears them, for an hour at most. "" or what is wrong.
std::string openAgreement(ncclUniqueId &id);

/// Whether the ranks that have this id agree.
bool hasAgreement(const ncclUniqueId &id);

/// Says at `stage` that rank `rank` of `nranks` can have Blink, or if `why` is
/// not empty why not; waits until all have said so. Errors: remote error if one
/// does not come in time, or nobody answers.
ncclResult_t agree(const ncclUniqueId &id, Stage stage, int rank, int nranks,
                   const std::string &why, Decision &decision);

} // namespace blink::nccl

#endif // BLINK_RUNTIME_BINDINGS_NCCL_AGREEMENT_H
