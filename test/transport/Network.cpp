//===- Network.cpp - channels between servers over sockets ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// In a program with this file in it, servers that are on one host all the same
// reach each other through sockets, and need no engine for networks.
//
//===----------------------------------------------------------------------===//

#include "test/transport/SocketTransport.h"

static const bool network = [] {
  blink::test::useSockets(blink::sched::ChannelKind::network);
  return true;
}();
