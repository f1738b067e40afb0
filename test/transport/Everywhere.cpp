//===- Everywhere.cpp - every channel over sockets ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A program that contains this file has no channel through shared memory.
//
//===----------------------------------------------------------------------===//

#include "test/transport/SocketTransport.h"

static const bool everywhere = [] {
  blink::test::useSockets();
  return true;
}();
