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

/// Reads the settings of new communicators of request.numRanks ranks. `config`
/// null means the defaults. Errors: its size is that of no version of blink.h,
/// or a field or an environment variable is wrong.
Status readConfig(const blinkConfig_t *config, const BackendEntry *&entry,
                  BackendRequest &request, bool *blocking = nullptr);

/// Checks and reads the arguments of blinkCommShrink. Settings that are not
/// given keep the old job's values.
Status readShrink(const blinkComm &comm, const int *excluded, int count,
                  const blinkConfig_t *config, ShrinkRequest &request);

/// Reads the settings of a job that is made of another's ranks. Settings that
/// are not given keep the old job's values.
Status readSuccessor(const blinkConfig_t *config, SuccessorSettings &settings);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_API_CONFIG_H
