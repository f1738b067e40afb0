//===- EnumConversion.h - enums of the file and of the dialect --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The dialect knows no file format, so the file and the dialect have an enum
// each. Both number the same things alike, and are converted here only. A
// missing case does not compile; a test checks that the words are the same.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_ENUMCONVERSION_H
#define BLINK_COMPILER_TARGET_ENUMCONVERSION_H

#include "compiler/packing/order/Association.h"
#include "compiler/topology/Topology.h"
#include "dialect/Collective.h"

namespace blink {

static_assert(collective::getMaxEnumValForNodeKind() == int(NodeKind::MAX));
inline NodeKind fromIR(collective::NodeKind kind) { return NodeKind(kind); }
inline collective::NodeKind toIR(NodeKind kind) {
  return collective::NodeKind(kind);
}

static_assert(collective::getMaxEnumValForLinkKind() == int(LinkKind::MAX));
inline LinkKind fromIR(collective::LinkKind kind) { return LinkKind(kind); }
inline collective::LinkKind toIR(LinkKind kind) {
  return collective::LinkKind(kind);
}

static_assert(collective::getMaxEnumValForCollectiveKind() ==
              int(Collective::MAX));
inline Collective fromIR(collective::CollectiveKind kind) {
  return Collective(kind);
}
inline collective::CollectiveKind toIR(Collective kind) {
  return collective::CollectiveKind(kind);
}

static_assert(collective::getMaxEnumValForChannelKind() ==
              int(sched::ChannelKind::MAX));
inline sched::ChannelKind fromIR(collective::ChannelKind kind) {
  return sched::ChannelKind(kind);
}
inline collective::ChannelKind toIR(sched::ChannelKind kind) {
  return collective::ChannelKind(kind);
}

static_assert(collective::getMaxEnumValForProtocol() ==
              int(sched::Protocol::MAX));
inline sched::Protocol fromIR(collective::Protocol kind) {
  return sched::Protocol(kind);
}
inline collective::Protocol toIR(sched::Protocol kind) {
  return collective::Protocol(kind);
}

static_assert(collective::getMaxEnumValForSums() == int(Parentheses::halves));
inline Parentheses fromIR(collective::Sums sums) { return Parentheses(sums); }
inline collective::Sums toIR(Parentheses sums) {
  return collective::Sums(sums);
}

static_assert(int(collective::Accumulation::F32) ==
              int(sched::Accumulation::f32));
inline sched::Accumulation fromIR(collective::Accumulation accumulate) {
  return sched::Accumulation(accumulate);
}
/// `accumulate` must not be `none`, which has no attribute.
inline collective::Accumulation toIR(sched::Accumulation accumulate) {
  return collective::Accumulation(accumulate);
}

LinkKindSet fromIR(collective::LinkKindsAttr kinds);
collective::LinkKindsAttr toIR(mlir::MLIRContext *context, LinkKindSet kinds);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_ENUMCONVERSION_H
