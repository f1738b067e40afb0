//===- NetworkEverywhere.cpp - every channel over UCX
//----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A program that contains this file has no channel through shared memory. Its
// NIC is the loopback device unless the environment says otherwise.
//
//===----------------------------------------------------------------------===//

#include "runtime/Transport.h"

#include <cstdlib>

/// The symbol that libblink_network.so exports.
extern "C" const blink::runtime::TransportEntry *blinkNetworkTransport(int);

static const bool everywhere = [] {
  using namespace blink;
  setenv("BLINK_SOCKET_IFNAME", "=lo", /*overwrite=*/0);
  // The entry also serves ranks that are all in one process.
  static const runtime::TransportEntry entry = {
      blinkNetworkTransport(BLINK_VERSION)->create};
  for (sched::ChannelKind kind : sched::EnumValuesChannelKind())
    runtime::setTransport(kind, &entry);
  return true;
}();
