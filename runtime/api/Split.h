//===- Split.h - communicators by colour and key ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_API_SPLIT_H
#define BLINK_RUNTIME_API_SPLIT_H

#include "runtime/api/Comm.h"
#include "runtime/job/Split.h"

namespace blink::runtime {

/// The arguments of a blinkCommSplit.
struct PendingSplit {
  std::shared_ptr<CommState> state;
  int rank;
  SplitRank request;
  blinkComm_t *result;
};

/// Runs the splits of one group, or a single one. Returns the first error.
Status splitTogether(std::vector<PendingSplit> &splits);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_API_SPLIT_H
