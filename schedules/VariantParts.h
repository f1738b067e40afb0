//===- VariantParts.h - a variant of a file, editable -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_VARIANTPARTS_H
#define BLINK_SCHEDULES_VARIANTPARTS_H

#include "schedules/ChunkSize.h"
#include "schedules/schedule_generated.h"

#include <map>
#include <vector>

namespace blink::sched {

/// The program of one rank, as in the file.
struct RankParts {
  std::vector<Lane> lanes;
  std::vector<Step> steps;
  std::vector<Operand> operands;
};

/// The content of a file's Variant as plain vectors of the file's structs.
struct VariantParts {
  uint64_t minBytes = 0, maxBytes = 0;
  Protocol protocol = Protocol::simple;
  ChunkSizes chunks;
  std::vector<Tree> trees;
  std::vector<Channel> channels;
  std::vector<uint32_t> paths;
  std::vector<RankParts> ranks;
  std::vector<TimePoint> times;    ///< empty: no estimate
  std::vector<SwitchUse> switches; ///< empty: none
  std::vector<uint8_t> packed;     ///< empty: the parts above are as they are
  bool symmetric = false;

  /// Returns the parts of `variant`, whose file openSchedule has accepted.
  static VariantParts of(const Variant &variant);
  flatbuffers::Offset<Variant>
  write(flatbuffers::FlatBufferBuilder &builder) const;
};

/// The paths of channels, in the order of the channels; equal paths share an
/// entry.
class PathTable {
public:
  /// Adds `path` if it is new. Returns where it begins in `paths`.
  uint32_t add(const std::vector<uint32_t> &path) {
    auto [entry, isNew] = begins_.try_emplace(path, uint32_t(paths.size()));
    if (isNew)
      paths.insert(paths.end(), path.begin(), path.end());
    return entry->second;
  }

  std::vector<uint32_t> paths;

private:
  std::map<std::vector<uint32_t>, uint32_t> begins_;
};

} // namespace blink::sched

#endif // BLINK_SCHEDULES_VARIANTPARTS_H
