//===- Load.h - the module that has the network transport -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// UCX is linked into libblink_network.so and nothing else. It is loaded when a
// job needs it, so that libblink has few dependencies and runs without it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_NETWORK_LOAD_H
#define BLINK_RUNTIME_NETWORK_LOAD_H

#include "runtime/Transport.h"

namespace blink::runtime::network {

/// The function that the module shows: its entry, or null if it is of another
/// BLINK_VERSION.
using EntryFunction = const TransportEntry *(*)(int version);
inline constexpr const char *kEntryFunction = "blinkNetworkTransport";

/// TransportEntry::create of the module. Errors: there is none; its own.
Status createLoaded(const TransportJob &job, TransportClient &client,
                    std::unique_ptr<Transport> &transport);

} // namespace blink::runtime::network

#endif // BLINK_RUNTIME_NETWORK_LOAD_H
