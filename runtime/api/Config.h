//===- Config.h - reading a blinkConfig_t -----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_API_CONFIG_H
#define BLINK_RUNTIME_API_CONFIG_H

#include "runtime/api/Comm.h"
#include "runtime/job/Shrink.h"

namespace blink::runtime {

/// For new communicators of request.numRanks ranks. `config` null: the
/// defaults. Errors: its size is of no version of blink.h, or a field or
/// BLINK_TIMEOUT_MS is wrong.
Status readConfig(const blinkConfig_t *config, const BackendEntry *&entry,
                  BackendRequest &request, bool *blocking = nullptr);

/// Judges the arguments of blinkCommShrink. What is not given stays.
Status readShrink(const blinkComm &comm, const int *excluded, int count,
                  const blinkConfig_t *config, ShrinkRequest &request);

/// Of a job that is made of another's ranks. What is not given stays.
Status readSuccessor(const blinkConfig_t *config, SuccessorSettings &settings);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_API_CONFIG_H
