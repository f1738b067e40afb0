//===- HostIdentity.h - which processes can share memory --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_CONTROL_HOSTIDENTITY_H
#define BLINK_RUNTIME_JOB_CONTROL_HOSTIDENTITY_H

#include <cstdint>
#include <string>

namespace blink::runtime {

/// Returns a number that is the same for processes that run on one host in the
/// same network and process-id namespaces, and that therefore find each other's
/// sockets and notice each other's deaths.
uint64_t hostIdentity();

/// The host's name, for messages.
std::string hostName();

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_HOSTIDENTITY_H
