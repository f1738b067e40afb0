//===- Transports.cpp - which transports there are ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The one place that knows which transport a kind of channel has.
//
//===----------------------------------------------------------------------===//

#include "runtime/Transport.h"
#include "runtime/network/Load.h"

#include <atomic>

namespace blink::runtime {
namespace {

const TransportEntry kMemory = {nullptr};
const TransportEntry kNetwork = {network::createLoaded,
                                 /*betweenProcesses=*/true};

/// By kind: peer, staged, network.
const TransportEntry *const kTransports[] = {&kMemory, &kMemory, &kNetwork};
static_assert(std::size(kTransports) == size_t(sched::ChannelKind::MAX) + 1);

std::atomic<const TransportEntry *> replaced[std::size(kTransports)];

} // namespace

const TransportEntry &transportOf(sched::ChannelKind kind) {
  // Acquire: with what was there when setTransport was called.
  const TransportEntry *entry =
      replaced[size_t(kind)].load(std::memory_order_acquire);
  return entry ? *entry : *kTransports[size_t(kind)];
}

void setTransport(sched::ChannelKind kind, const TransportEntry *entry) {
  replaced[size_t(kind)].store(entry, std::memory_order_release);
}

} // namespace blink::runtime
