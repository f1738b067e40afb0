//===- Load.h - loading the network transport's module ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Only libblink_network.so is linked with UCX. It is loaded when a job needs
// it, so that libblink has few dependencies and runs without UCX.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_NETWORK_LOAD_H
#define BLINK_RUNTIME_NETWORK_LOAD_H

#include "runtime/Transport.h"

namespace blink::runtime::network {

/// The function that the module exports. Returns the module's entry, or null if
/// the module is of another BLINK_VERSION.
using EntryFunction = const TransportEntry *(*)(int version);
inline constexpr const char *kEntryFunction = "blinkNetworkTransport";

/// Calls the module's TransportEntry::create. Errors: there is no module; the
/// module's own.
Status createLoaded(const TransportJob &job, TransportClient &client,
                    std::unique_ptr<Transport> &transport);

} // namespace blink::runtime::network

#endif // BLINK_RUNTIME_NETWORK_LOAD_H
