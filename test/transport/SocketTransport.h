//===- SocketTransport.h - a transport for tests ----------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Rings over Unix sockets: proof that a transport needs nothing but
// runtime/Transport.h. It offers what networks offer and no more. Each pair of
// ranks shares one connection. Its small buffers take half a message and then
// block, and data that one rank sends arrives in order. Both ends number rings
// alike, since either all rings are known to both or the ranks are on one
// server.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_TRANSPORT_SOCKETTRANSPORT_H
#define BLINK_TEST_TRANSPORT_SOCKETTRANSPORT_H

#include "runtime/Transport.h"

namespace blink::test {

extern const runtime::TransportEntry kSocketTransport;

/// In jobs made from now on, channels of this kind, or all channels, use
/// sockets.
void useSockets(sched::ChannelKind kind);
void useSockets();
/// In jobs made from now on, channels use memory again.
void useMemory();

/// Returns the number of chunks that sockets have carried in this process.
uint64_t socketChunks();
/// Shuts down the connections between these two ranks in all jobs that are
/// entirely in this process.
void breakSockets(int rank, int other);

} // namespace blink::test

#endif // BLINK_TEST_TRANSPORT_SOCKETTRANSPORT_H
