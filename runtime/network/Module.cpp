//===- Module.cpp - the function that libblink_network.so exports ---------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/network/Load.h"
#include "runtime/network/NetworkTransport.h"

/// An EntryFunction.
extern "C" __attribute__((visibility("default")))
const blink::runtime::TransportEntry *
blinkNetworkTransport(int version) {
  return version == BLINK_VERSION ? &blink::runtime::network::kNetworkTransport
                                  : nullptr;
}
