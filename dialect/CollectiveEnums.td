// The enums of the dialect. Each case has the number of its counterpart in the
// file format: conversion relies on that (compiler/target/EnumConversion.h).
#ifndef BLINK_DIALECT_COLLECTIVEENUMS_TD
#define BLINK_DIALECT_COLLECTIVEENUMS_TD

include "mlir/IR/EnumAttr.td"
include "dialect/CollectiveDialect.td"

class Collective_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::blink::collective";
}

def Collective_NodeKind : Collective_Enum<"NodeKind", "Kind of a node", [
  I32EnumAttrCase<"Gpu", 0, "gpu">,
  I32EnumAttrCase<"Switch", 1, "switch">,
  I32EnumAttrCase<"Cpu", 2, "cpu">,
  I32EnumAttrCase<"Nic", 3, "nic">,
]>;

def Collective_LinkKind : Collective_Enum<"LinkKind", "Kind of a link", [
  I32EnumAttrCase<"NvLink", 0, "nvlink">,
  I32EnumAttrCase<"Pcie", 1, "pcie">,
  I32EnumAttrCase<"Host", 2, "host">,
  I32EnumAttrCase<"C2c", 3, "c2c">,
  I32EnumAttrCase<"Xgmi", 4, "xgmi">,
  I32EnumAttrCase<"Network", 5, "network">,
]>;

def Collective_CollectiveKind
    : Collective_Enum<"CollectiveKind", "Collective operation", [
  I32EnumAttrCase<"AllReduce", 0, "all_reduce">,
  I32EnumAttrCase<"Broadcast", 1, "broadcast">,
  I32EnumAttrCase<"Reduce", 2, "reduce">,
  I32EnumAttrCase<"AllGather", 3, "all_gather">,
  I32EnumAttrCase<"ReduceScatter", 4, "reduce_scatter">,
  I32EnumAttrCase<"Gather", 5, "gather">,
  I32EnumAttrCase<"Scatter", 6, "scatter">,
  I32EnumAttrCase<"AllToAll", 7, "all_to_all">,
  I32EnumAttrCase<"SendRecv", 8, "send_recv">,
]>;

def Collective_ChannelKind
    : Collective_Enum<"ChannelKind", "Kind of a channel's path", [
  I32EnumAttrCase<"Peer", 0, "peer">,
  I32EnumAttrCase<"Staged", 1, "staged">,
  I32EnumAttrCase<"Network", 2, "network">,
]>;

def Collective_Protocol
    : Collective_Enum<"Protocol", "How a chunk is announced to its reader", [
  I32EnumAttrCase<"Simple", 0, "simple">,
  I32EnumAttrCase<"LowLatency", 1, "low_latency">,
]>;

def Collective_Sums
    : Collective_Enum<"Sums", "Order in which sums over ranks are computed", [
  I32EnumAttrCase<"Chain", 0, "chain">,
  I32EnumAttrCase<"Halves", 1, "halves">,
]>;

def Collective_Accumulation
    : Collective_Enum<"Accumulation", "Type of partial sums of 8-bit and 16-bit elements", [
  I32EnumAttrCase<"F32", 1, "f32">,
]>;

def Collective_BufferKind
    : Collective_Enum<"BufferKind", "Buffer of the user", [
  I32EnumAttrCase<"Input", 0, "input">,
  I32EnumAttrCase<"Output", 1, "output">,
]>;

#endif // BLINK_DIALECT_COLLECTIVEENUMS_TD
