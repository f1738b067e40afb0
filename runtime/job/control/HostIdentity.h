//===- HostIdentity.h - who can share memory with whom ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_CONTROL_HOSTIDENTITY_H
#define BLINK_RUNTIME_JOB_CONTROL_HOSTIDENTITY_H

#include <cstdint>
#include <string>

namespace blink::runtime {

/// A number that processes have alike if they run on one host, and in the same
/// namespaces of networks and processes, so that they find each other's sockets
/// and see each other die.
uint64_t hostIdentity();

/// For messages.
std::string hostName();

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_HOSTIDENTITY_H
