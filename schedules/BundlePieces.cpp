//===- BundlePieces.cpp - replacing pieces of a bundle --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Numbers of the index are overwritten in place, like those of a schedule
// (ScheduleTuning.cpp). Fields that a newer schema adds are thereby kept,
// although this code does not know them.
//
//===----------------------------------------------------------------------===//

#include "schedules/BundlePieces.h"

#include "schedules/Hash.h"
#include "schedules/ScheduleFile.h"

#include <algorithm>
#include <cstring>

namespace blink::sched {
namespace {

/// A part of the old file, as an offset from the first piece, and its
/// replacement.
struct Change {
  uint64_t begin, size;
  const std::vector<uint8_t> *bytes;
};

Piece moved(const Piece &piece, const std::vector<Change> &changes) {
  uint64_t offset = piece.offset(), size = piece.size();
  for (const Change &change : changes) {
    if (change.begin < piece.offset())
      offset += change.bytes->size() - change.size; // modulo 2^64
    else if (change.begin == piece.offset() && size != 0)
      size = change.bytes->size();
  }
  return {offset, size};
}

} // namespace

std::vector<uint8_t> replacePieces(const std::vector<uint8_t> &bundle,
                                   const std::vector<NewPiece> &pieces) {
  const Bundle &index = *flatbuffers::GetRoot<Bundle>(bundle.data() + kIndexAt);
  const size_t indexEnd = kIndexAt + flatbuffers::ReadScalar<uint64_t>(
                                         bundle.data() + kIndexBytesAt);
  const uint8_t *old = bundle.data() + indexEnd + sizeof(uint64_t);
  std::vector<Change> changes;
  for (const NewPiece &piece : pieces) {
    const Piece &place = *index.classes()
                              ->Get(piece.classNumber)
                              ->pieces()
                              ->Get(piece.collective);
    changes.push_back({place.offset(), place.size(), &piece.bytes});
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change &a, const Change &b) { return a.begin < b.begin; });

  std::vector<uint8_t> bytes(bundle.data(), old);
  const uint8_t *from = old;
  for (const Change &change : changes) {
    bytes.insert(bytes.end(), from, old + change.begin);
    bytes.insert(bytes.end(), change.bytes->begin(), change.bytes->end());
    from = old + change.begin + change.size;
  }
  bytes.insert(bytes.end(), from, bundle.data() + bundle.size());

  for (const AllocationClass *one : *index.classes())
    for (const Piece *piece : *one->pieces()) {
      const Piece place = moved(*piece, changes);
      const auto *at = reinterpret_cast<const uint8_t *>(piece);
      std::memcpy(&bytes[size_t(at - bundle.data())], &place, sizeof(place));
    }
  flatbuffers::WriteScalar(&bytes[kFileBytesAt], uint64_t(bytes.size()));
  flatbuffers::WriteScalar(&bytes[indexEnd], hash64(bytes.data(), indexEnd));
  return bytes;
}

} // namespace blink::sched
