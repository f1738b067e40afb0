//===- SocketTransport.h - a transport of the tests' own --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Rings over Unix sockets: proof that a transport needs nothing but
// runtime/Transport.h. It gives what networks give and no more. Each two ranks
// share one connection, whose small buffers take half a message and then no
// more; what one rank sends in order comes in order. Both ends number rings
// alike: they are in full, or on one server.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_TRANSPORT_SOCKETTRANSPORT_H
#define BLINK_TEST_TRANSPORT_SOCKETTRANSPORT_H

#include "runtime/Transport.h"

namespace blink::test {

extern const runtime::TransportEntry kSocketTransport;

/// Channels of these kinds, or of all, go through sockets in jobs made from now
/// on.
void useSockets(sched::ChannelKind kind);
void useSockets();
/// And no longer.
void useMemory();

/// Chunks that sockets have carried in this process.
uint64_t socketChunks();
/// Shuts the connections of these two ranks, in all jobs that are wholly in
/// this process.
void breakSockets(int rank, int other);

} // namespace blink::test

#endif // BLINK_TEST_TRANSPORT_SOCKETTRANSPORT_H
