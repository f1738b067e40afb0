//===- Network.cpp - channels between servers over sockets ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A program that contains this file connects servers by sockets, though they
// are all on one host. It needs no network engine.
//
//===----------------------------------------------------------------------===//

#include "test/transport/SocketTransport.h"

static const bool network = [] {
  blink::test::useSockets(blink::sched::ChannelKind::network);
  return true;
}();
