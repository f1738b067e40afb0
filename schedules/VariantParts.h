//===- VariantParts.h - a variant of a file, to be changed ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_VARIANTPARTS_H
#define BLINK_SCHEDULES_VARIANTPARTS_H

#include "schedules/schedule_generated.h"

#include <vector>

namespace blink::sched {

/// The program of one rank, as the file has it.
struct RankParts {
  std::vector<Lane> lanes;
  std::vector<Step> steps;
  std::vector<Operand> operands;
};

/// What a Variant of a file holds, as plain vectors of the file's structs.
struct VariantParts {
  uint64_t minBytes = 0, maxBytes = 0;
  Protocol protocol = Protocol::simple;
  uint32_t chunkBytes = 0;
  std::vector<Tree> trees;
  std::vector<Channel> channels;
  std::vector<uint32_t> paths;
  std::vector<RankParts> ranks;
  std::vector<TimePoint> times;    ///< empty: no estimate
  std::vector<SwitchUse> switches; ///< empty: none
  bool symmetric = false;

  /// Those of `variant`, whose file openSchedule has accepted.
  static VariantParts of(const Variant &variant);
  flatbuffers::Offset<Variant>
  write(flatbuffers::FlatBufferBuilder &builder) const;
};

} // namespace blink::sched

#endif // BLINK_SCHEDULES_VARIANTPARTS_H
