//===- EnumConversion.cpp - words of the file and of the dialect ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/EnumConversion.h"

#include "llvm/Support/ErrorHandling.h"

using namespace blink;

NodeKind blink::fromIR(collective::NodeKind kind) {
  switch (kind) {
  case collective::NodeKind::Gpu:
    return NodeKind::gpu;
  case collective::NodeKind::Switch:
    return NodeKind::switch_;
  case collective::NodeKind::Cpu:
    return NodeKind::cpu;
  case collective::NodeKind::Nic:
    return NodeKind::nic;
  }
  llvm_unreachable("enum outside its cases");
}

collective::NodeKind blink::toIR(NodeKind kind) {
  switch (kind) {
  case NodeKind::gpu:
    return collective::NodeKind::Gpu;
  case NodeKind::switch_:
    return collective::NodeKind::Switch;
  case NodeKind::cpu:
    return collective::NodeKind::Cpu;
  case NodeKind::nic:
    return collective::NodeKind::Nic;
  }
  llvm_unreachable("enum outside its cases");
}

LinkKind blink::fromIR(collective::LinkKind kind) {
  switch (kind) {
  case collective::LinkKind::NvLink:
    return LinkKind::nvlink;
  case collective::LinkKind::Pcie:
    return LinkKind::pcie;
  case collective::LinkKind::Host:
    return LinkKind::host;
  case collective::LinkKind::C2c:
    return LinkKind::c2c;
  case collective::LinkKind::Xgmi:
    return LinkKind::xgmi;
  case collective::LinkKind::Network:
    return LinkKind::network;
  }
  llvm_unreachable("enum outside its cases");
}

collective::LinkKind blink::toIR(LinkKind kind) {
  switch (kind) {
  case LinkKind::nvlink:
    return collective::LinkKind::NvLink;
  case LinkKind::pcie:
    return collective::LinkKind::Pcie;
  case LinkKind::host:
    return collective::LinkKind::Host;
  case LinkKind::c2c:
    return collective::LinkKind::C2c;
  case LinkKind::xgmi:
    return collective::LinkKind::Xgmi;
  case LinkKind::network:
    return collective::LinkKind::Network;
  }
  llvm_unreachable("enum outside its cases");
}

Collective blink::fromIR(collective::CollectiveKind kind) {
  switch (kind) {
  case collective::CollectiveKind::AllReduce:
    return Collective::allreduce;
  case collective::CollectiveKind::Broadcast:
    return Collective::broadcast;
  case collective::CollectiveKind::Reduce:
    return Collective::reduce;
  case collective::CollectiveKind::AllGather:
    return Collective::allgather;
  case collective::CollectiveKind::ReduceScatter:
    return Collective::reducescatter;
  case collective::CollectiveKind::Gather:
    return Collective::gather;
  case collective::CollectiveKind::Scatter:
    return Collective::scatter;
  case collective::CollectiveKind::AllToAll:
    return Collective::alltoall;
  }
  llvm_unreachable("enum outside its cases");
}

collective::CollectiveKind blink::toIR(Collective kind) {
  switch (kind) {
  case Collective::allreduce:
    return collective::CollectiveKind::AllReduce;
  case Collective::broadcast:
    return collective::CollectiveKind::Broadcast;
  case Collective::reduce:
    return collective::CollectiveKind::Reduce;
  case Collective::allgather:
    return collective::CollectiveKind::AllGather;
  case Collective::reducescatter:
    return collective::CollectiveKind::ReduceScatter;
  case Collective::gather:
    return collective::CollectiveKind::Gather;
  case Collective::scatter:
    return collective::CollectiveKind::Scatter;
  case Collective::alltoall:
    return collective::CollectiveKind::AllToAll;
  }
  llvm_unreachable("enum outside its cases");
}

sched::ChannelKind blink::fromIR(collective::ChannelKind kind) {
  switch (kind) {
  case collective::ChannelKind::Peer:
    return sched::ChannelKind::peer;
  case collective::ChannelKind::Staged:
    return sched::ChannelKind::staged;
  case collective::ChannelKind::Network:
    return sched::ChannelKind::network;
  }
  llvm_unreachable("enum outside its cases");
}

collective::ChannelKind blink::toIR(sched::ChannelKind kind) {
  switch (kind) {
  case sched::ChannelKind::peer:
    return collective::ChannelKind::Peer;
  case sched::ChannelKind::staged:
    return collective::ChannelKind::Staged;
  case sched::ChannelKind::network:
    return collective::ChannelKind::Network;
  }
  llvm_unreachable("enum outside its cases");
}

sched::Protocol blink::fromIR(collective::Protocol protocol) {
  switch (protocol) {
  case collective::Protocol::Simple:
    return sched::Protocol::simple;
  case collective::Protocol::LowLatency:
    return sched::Protocol::low_latency;
  }
  llvm_unreachable("enum outside its cases");
}

collective::Protocol blink::toIR(sched::Protocol protocol) {
  switch (protocol) {
  case sched::Protocol::simple:
    return collective::Protocol::Simple;
  case sched::Protocol::low_latency:
    return collective::Protocol::LowLatency;
  }
  llvm_unreachable("enum outside its cases");
}

LinkKindSet blink::fromIR(collective::LinkKindsAttr kinds) {
  LinkKindSet set;
  for (collective::LinkKind kind : kinds.getKinds())
    set.insert(fromIR(kind));
  return set;
}

collective::LinkKindsAttr blink::toIR(mlir::MLIRContext *context,
                                      LinkKindSet kinds) {
  llvm::SmallVector<collective::LinkKind> list;
  for (LinkKind kind : sched::EnumValuesLinkKind())
    if (kinds.contains(kind))
      list.push_back(toIR(kind));
  return collective::LinkKindsAttr::get(context, list);
}
