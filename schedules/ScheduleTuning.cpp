//===- ScheduleTuning.cpp - the numbers of a file that decide speed -------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Numbers are overwritten in place and the file is not built anew. Fields that
// a newer schema adds are thereby kept, although this code does not know them.
//
//===----------------------------------------------------------------------===//

#include "schedules/ScheduleTuning.h"

#include "schedules/Hash.h"

#include <algorithm>

namespace blink::sched {
namespace {

/// The table behind a generated class, which has no setters.
template <typename T> flatbuffers::Table &tableOf(const T *object) {
  return *const_cast<flatbuffers::Table *>(
      reinterpret_cast<const flatbuffers::Table *>(object));
}

/// Absent fields stand for 0. Only the min_bytes of a first variant may be
/// absent, and it stays 0.
void setVariant(const Variant *variant, const VariantTuning &tuning,
                uint64_t end) {
  flatbuffers::Table &table = tableOf(variant);
  table.SetField<uint64_t>(Variant::VT_MIN_BYTES, tuning.minBytes, 0);
  table.SetField<uint64_t>(Variant::VT_MAX_BYTES, end, 0);
  table.SetField<uint32_t>(Variant::VT_CHUNK_BYTES, tuning.chunkBytes, 0);
}

/// Writes the string at the end, unless it fits in place of the former one.
void setTuned(std::vector<uint8_t> &bytes, const std::string &tuned) {
  const flatbuffers::String *old =
      GetSchedule(bytes.data())->provenance()->tuned();
  if (old->size() == tuned.size()) {
    const size_t at = size_t(old->Data() - bytes.data());
    std::copy(tuned.begin(), tuned.end(), bytes.begin() + long(at));
    return;
  }
  const size_t at = bytes.size(); // a multiple of 8
  const size_t size = sizeof(flatbuffers::uoffset_t) + tuned.size() + 1;
  bytes.resize(at + (size + 7) / 8 * 8);
  flatbuffers::WriteScalar(&bytes[at], flatbuffers::uoffset_t(tuned.size()));
  std::copy(tuned.begin(), tuned.end(),
            bytes.begin() + long(at + sizeof(flatbuffers::uoffset_t)));
  tableOf(GetSchedule(bytes.data())->provenance())
      .SetPointer(Provenance::VT_TUNED, &bytes[at]);
}

} // namespace

FileTuning tuningOf(const Schedule &file) {
  FileTuning tuning;
  for (const Program *program : *file.programs()) {
    tuning.emplace_back();
    for (const Variant *variant : *program->variants())
      tuning.back().push_back({variant->min_bytes(), variant->chunk_bytes()});
  }
  return tuning;
}

std::vector<uint8_t> setTuning(std::vector<uint8_t> bytes,
                               const FileTuning &tuning,
                               const std::string &tuned) {
  bytes.resize(bytes.size() - kHashBytes);
  setTuned(bytes, tuned);
  const auto &programs = *GetSchedule(bytes.data())->programs();
  for (uint32_t p = 0; p < programs.size(); ++p) {
    const auto &variants = *programs.Get(p)->variants();
    for (uint32_t v = 0; v < variants.size(); ++v)
      setVariant(variants.Get(v), tuning[p][v],
                 v + 1 == variants.size() ? ~uint64_t(0)
                                          : tuning[p][v + 1].minBytes);
  }
  appendHash(bytes);
  return bytes;
}

} // namespace blink::sched
