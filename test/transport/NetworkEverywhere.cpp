//===- NetworkEverywhere.cpp - every channel over UCX
//----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A program with this file in it has no channel through shared memory. NICs are
// the loopback, unless the environment says otherwise.
//
//===----------------------------------------------------------------------===//

#include "runtime/Transport.h"

#include <cstdlib>

/// What libblink_network.so shows.
extern "C" const blink::runtime::TransportEntry *blinkNetworkTransport(int);

static const bool everywhere = [] {
  using namespace blink;
  setenv("BLINK_SOCKET_IFNAME", "=lo", /*overwrite=*/0);
  // Also where all ranks are in one process.
  static const runtime::TransportEntry entry = {
      blinkNetworkTransport(BLINK_VERSION)->create};
  for (sched::ChannelKind kind : sched::EnumValuesChannelKind())
    runtime::setTransport(kind, &entry);
  return true;
}();
