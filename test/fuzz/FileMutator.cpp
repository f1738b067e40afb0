//===- FileMutator.cpp - changes of files with checksums ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Changes a schedule, a bundle or a golden summary and recomputes its
// checksums, so that the checks after them are reached. Linked into the targets
// that read such files.
//
//===----------------------------------------------------------------------===//

#include "schedules/BundleFile.h"
#include "schedules/Hash.h"
#include "test/common/Checksums.h"
#include "test/fuzz/FuzzTarget.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

using namespace blink;

namespace {

using Random = std::minstd_rand;

/// Overwrites a number at a place where one may lie: a multiple of its size.
/// FlatBuffers consist of offsets, so inserting or removing bytes would break
/// those and test little else.
void changeNumber(std::string &bytes, Random &random) {
  const size_t width = size_t(1) << random() % 4;
  if (bytes.size() < width)
    return;
  const size_t at = random() % (bytes.size() / width) * width;
  uint64_t value = 0;
  std::memcpy(&value, &bytes[at], width);
  const uint64_t extreme[] = {0, ~uint64_t(0), ~uint64_t(0) / 2,
                              uint64_t(1) << (8 * width - 1)};
  switch (random() % 6) {
  case 0:
    value = extreme[random() % 4];
    break;
  case 1:
    value = random() % 64;
    break;
  case 2:
    value += random() % 2 ? 1 : -1;
    break;
  case 3:
    value ^= uint64_t(1) << random() % (8 * width);
    break;
  case 4: // copies from elsewhere: rates, lengths of names, offsets
    std::memcpy(&value, &bytes[random() % (bytes.size() / width) * width],
                width);
    break;
  default: {
    const double rates[] = {1e-3, 1e6, 1e-308, 1e308, 1.0, -1.0};
    const double rate = rates[random() % 6];
    std::memcpy(&value, &rate, sizeof(value));
  }
  }
  std::memcpy(&bytes[at], &value, width);
}

/// Changes the bytes in libFuzzer's ways, to a size of at most `most`.
void change(std::string &bytes, size_t most) {
  std::string room = bytes;
  room.resize(std::max(most, bytes.size()));
  room.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(room.data()),
                               bytes.size(), room.size()));
  bytes = std::move(room);
}

/// Repairs a bundle: its header gets the right size, its pieces the right
/// checksums.
void mendBundle(std::string &bytes) {
  auto *data = reinterpret_cast<uint8_t *>(bytes.data());
  flatbuffers::WriteScalar(data + sched::kVersionAt, sched::kBundleVersion);
  flatbuffers::WriteScalar(data + sched::kFileBytesAt, uint64_t(bytes.size()));
  test::reseal(bytes);
  sched::BundleView bundle;
  std::string error;
  if (!sched::openBundle(data, bytes.size(), bundle, error))
    return;
  for (const sched::AllocationClass *one : *bundle.index->classes())
    for (const sched::Piece *piece : *one->pieces()) {
      if (piece->size() < sched::kHashBytes)
        continue;
      const size_t begin = size_t(bundle.pieces - data) + piece->offset();
      const size_t size = piece->size() - sched::kHashBytes;
      const uint64_t hash = sched::hash64(&bytes[begin], size);
      flatbuffers::WriteScalar(data + begin + size, hash);
    }
}

} // namespace

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t mostBytes,
                               unsigned seed) {
  Random random(seed);
  std::string bytes(test::textOfInput(data, size));
  const bool isText = !bytes.empty() && bytes[0] == '{';
  const size_t most = mostBytes / 8 * 8;
  if (isText || random() % 4 == 0)
    change(bytes, most);
  else
    for (size_t changes = 1 + random() % 4; changes > 0; --changes)
      changeNumber(bytes, random);
  if (!isText)
    bytes.resize(std::min((bytes.size() + 7) / 8 * 8, most));
  if (sched::isBundle(reinterpret_cast<const uint8_t *>(bytes.data()),
                      bytes.size()) &&
      bytes.size() > sched::kIndexAt + sched::kHashBytes)
    mendBundle(bytes);
  else
    test::reseal(bytes);
  bytes.resize(std::min(bytes.size(), mostBytes));
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}
