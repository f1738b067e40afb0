//===- AvoidIncast.h - forests in which few senders meet --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PASSES_AVOIDINCAST_H
#define BLINK_COMPILER_PASSES_AVOIDINCAST_H

#include "compiler/packing/SelectTrees.h"

#include <optional>

namespace blink {

/// For up to 16 ranks that send over TCP: packs again with 2, 3, 4 and 8 peers
/// for each rank, and returns the first forest that has the rate of the
/// optimum, `packed`, if messages of 1 and 4 MiB take half a per cent less than
/// by `selected`. That is so above all because fewer senders meet at each NIC
/// (NetworkCosts.h, incastOf). Returns nothing in all other cases, for routed
/// and rooted collectives, and if peers or relays are chosen already. Errors: a
/// solver failed.
llvm::Expected<std::optional<Packing>>
avoidIncast(const PackingProblem &problem, const PackedTrees &packed,
            const Packing &selected, const SelectOptions &options);

} // namespace blink

#endif // BLINK_COMPILER_PASSES_AVOIDINCAST_H
