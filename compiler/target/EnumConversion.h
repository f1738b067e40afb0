//===- EnumConversion.h - words of the file and of the dialect --*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The dialect knows no file format, so the two have an enum each. These
// switches are the only place where they meet; a missing case does not compile.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TARGET_ENUMCONVERSION_H
#define BLINK_COMPILER_TARGET_ENUMCONVERSION_H

#include "compiler/topology/Topology.h"
#include "dialect/Collective.h"

namespace blink {

NodeKind fromIR(collective::NodeKind kind);
LinkKind fromIR(collective::LinkKind kind);
Collective fromIR(collective::CollectiveKind kind);
sched::ChannelKind fromIR(collective::ChannelKind kind);
sched::Protocol fromIR(collective::Protocol protocol);
LinkKindSet fromIR(collective::LinkKindsAttr kinds);

collective::NodeKind toIR(NodeKind kind);
collective::LinkKind toIR(LinkKind kind);
collective::CollectiveKind toIR(Collective kind);
collective::ChannelKind toIR(sched::ChannelKind kind);
collective::Protocol toIR(sched::Protocol protocol);
collective::LinkKindsAttr toIR(mlir::MLIRContext *context, LinkKindSet kinds);

} // namespace blink

#endif // BLINK_COMPILER_TARGET_ENUMCONVERSION_H
