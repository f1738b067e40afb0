//===- BundlePiecesTest.cpp - replacing pieces in a bundle ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/BundlePieces.h"
#include "schedules/ScheduleTuning.h"
#include "test/common/BundleBuilder.h"

#include "doctest/doctest.h"

using namespace blink;
using namespace blink::test;

namespace {

/// Returns two collectives and six classes, some of which have no pieces: the
/// first, two in the middle, and the last.
TestBundle makeModel() {
  TestBundle model =
      makeBundle({4,
                  {Collective::allreduce, Collective::broadcast},
                  {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {0, 1, 2}, {0, 1, 2, 3}},
                  {},
                  /*alike=*/false,
                  {}});
  REQUIRE(model.classes.size() == 6);
  for (size_t c : {0, 2, 3, 5})
    model.classes[c].pieces = {{}, {}};
  return model;
}

/// Returns the piece with a name of `length` bytes for the machine it was tuned
/// on.
std::vector<uint8_t> withName(const std::vector<uint8_t> &piece,
                              size_t length) {
  std::string error;
  const sched::Schedule *file =
      sched::openSchedule(piece.data(), piece.size(), error);
  REQUIRE_MESSAGE(file, error);
  return sched::setTuning(piece, sched::tuningOf(*file),
                          std::string(length, 'x'));
}

void checkOpens(const std::vector<uint8_t> &bytes, const TestBundle &model) {
  sched::BundleView bundle;
  std::string error;
  REQUIRE_MESSAGE(sched::openBundle(bytes.data(), bytes.size(), bundle, error),
                  error);
  for (uint32_t c = 0; c < model.classes.size(); ++c)
    for (uint32_t i = 0; i < model.collectives.size(); ++i) {
      const auto *piece = sched::openPiece(bundle, c, i, error);
      CHECK(error == "");
      CHECK(!piece == model.classes[c].pieces[i].empty());
    }
}

} // namespace

TEST_CASE("pieces are replaced, and nothing else changes") {
  const TestBundle model = makeModel();
  const std::vector<uint8_t> right = seal(model);
  CHECK(sched::replacePieces(right, {}) == right);
  // Longer pieces, equally long ones, and shorter ones again; any of the
  // pieces, in any order.
  const std::vector<std::pair<uint32_t, uint32_t>> all = {
      {4, 1}, {1, 0}, {4, 0}, {1, 1}};
  for (unsigned chosen = 1; chosen < 16; ++chosen) {
    TestBundle wanted = model, longer = model;
    std::vector<sched::NewPiece> pieces, back;
    for (size_t i = 0; i < all.size(); ++i) {
      if (!(chosen >> i & 1))
        continue;
      const auto [c, collective] = all[i];
      std::vector<uint8_t> &piece = wanted.classes[c].pieces[collective];
      back.push_back({c, collective, piece});
      piece = withName(piece, 40 * i);
      pieces.push_back({c, collective, piece});
    }
    const std::vector<uint8_t> changed = sched::replacePieces(right, pieces);
    CHECK(changed == seal(wanted));
    checkOpens(changed, wanted);
    CHECK(sched::replacePieces(changed, back) == right);
  }
}

TEST_CASE("what an index has beside is kept") {
  // A bundle of a newer Blink: unknown bytes in the reserved word and behind
  // the FlatBuffer, and a different version.
  std::vector<uint8_t> newer = seal(makeModel());
  newer[8] = 9;
  newer[12] = 77;
  const std::vector<uint8_t> before = newer;
  const size_t index = 32 + newer[16] + newer[17] * 256u;
  sched::BundleView bundle;
  std::string error;
  const std::vector<uint8_t> piece =
      withName(makeModel().classes[1].pieces[0], 100);
  const std::vector<uint8_t> changed =
      sched::replacePieces(newer, {{1, 0, piece}});
  size_t differ = 0;
  for (size_t i = 0; i < index; ++i)
    differ += changed[i] != before[i] && !(i >= 24 && i < 32);
  // At most two bytes each: the size of the piece, and the nine offsets after
  // it.
  CHECK(differ > 0);
  CHECK(differ <= 2 * 10);
  CHECK(changed[8] == 9);
  CHECK(changed[12] == 77);
  CHECK(!sched::openBundle(changed.data(), changed.size(), bundle, error));
  CHECK(error.find("format version 9") != std::string::npos);
}
