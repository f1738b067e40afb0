//===- PackedTest.cpp - schedules in fewer bytes --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Files and columns come back as they were; damaged and hostile ones are
// refused, or become files that the loader judges.
//
//===----------------------------------------------------------------------===//

#include "schedules/PackedSchedule.h"

#include "schedules/Columns.h"
#include "schedules/Hash.h"
#include "schedules/ScheduleCopy.h"
#include "schedules/SymmetricForm.h"
#include "test/common/OpenedSchedule.h"
#include "test/common/SymmetricSchedules.h"

#include <random>

using namespace blink;
using namespace blink::test;

namespace {

constexpr uint64_t kEnough = 1 << 20; // words

std::vector<uint8_t> unpacked(const std::vector<uint8_t> &bytes,
                              std::string &error) {
  return sched::unpackSchedule(bytes.data(), bytes.size(), error);
}

/// Returns the bytes that the compiler writes for the content of `file`.
std::vector<uint8_t> copied(const sched::Schedule &file) {
  std::vector<sched::ProgramParts> programs;
  for (const sched::Program *program : *file.programs()) {
    sched::ProgramParts &parts = programs.emplace_back();
    parts.symmetry = sched::renamingsOf(*program);
    for (const sched::Variant *variant : *program->variants())
      parts.variants.push_back(sched::VariantParts::of(*variant));
  }
  return sched::copySchedule(file, programs);
}

/// Checks that the file survives, and returns its packed form.
std::vector<uint8_t> checkPacked(const std::vector<uint8_t> &plain) {
  std::string error;
  const sched::Schedule *file =
      sched::openAnySchedule(plain.data(), plain.size(), error);
  REQUIRE_MESSAGE(file, error);
  std::vector<uint8_t> packed = sched::packSchedule(*file);
  CHECK(sched::isPacked(packed.data(), packed.size()));
  CHECK(!sched::isPacked(plain.data(), plain.size()));
  CHECK(packed.size() < plain.size());
  CHECK(unpacked(packed, error) == copied(*file));
  CHECK(error == "");
  CHECK(!sched::openAnySchedule(packed.data(), packed.size(), error));
  return packed;
}

std::vector<uint8_t> packedFile() {
  BuildOptions options;
  options.treesPerBlock = 2;
  return checkPacked(seal(makeSchedule(Collective::allreduce, 0, 3, options)));
}

/// Returns a packed file of `numRanks` ranks without links that has a variant
/// for each of `packed`, and `more` bytes beside.
std::vector<uint8_t> fileOf(size_t numRanks,
                            const std::vector<std::vector<uint8_t>> &packed,
                            size_t more) {
  TestSchedule schedule;
  schedule.nodes.assign(numRanks, sched::NodeKind::gpu);
  schedule.settings = {{"gpus", std::string(more, 'x')}};
  TestProgram program;
  for (size_t rank = 0; rank < numRanks; ++rank)
    program.allocation.push_back(uint16_t(rank));
  program.variants.resize(1);
  schedule.programs = {program};
  const std::vector<uint8_t> plain = seal(schedule);
  sched::ProgramParts parts;
  for (size_t v = 0; v < packed.size(); ++v) {
    sched::VariantParts &variant = parts.variants.emplace_back();
    variant.packed = packed[v];
    variant.minBytes = v;
    variant.maxBytes = v + 1 < packed.size() ? v + 1 : ~uint64_t(0);
  }
  std::vector<uint8_t> bytes =
      sched::copySchedule(*sched::GetSchedule(plain.data()), {parts});
  std::copy_n(sched::kPackedIdentifier, 4, bytes.begin() + 4);
  bytes.resize(bytes.size() - sched::kHashBytes);
  sched::appendHash(bytes);
  return bytes;
}

void sealAgain(std::vector<uint8_t> &bytes) {
  bytes.resize(bytes.size() - sched::kHashBytes);
  sched::appendHash(bytes);
}

} // namespace

TEST_CASE("a packed file becomes the same bytes again") {
  uint32_t seed = 1;
  for (Collective collective :
       {Collective::allreduce, Collective::broadcast, Collective::gather,
        Collective::alltoall, Collective::sendrecv})
    for (int numRanks : {1, 2, 5, 8})
      checkPacked(seal(makeSchedule(collective, 0, numRanks, {})));
  for (Collective collective : {Collective::allgather, Collective::alltoall}) {
    const OpenedSchedule full(
        makeSymmetricSchedule(collective, 6, /*trees=*/3, /*lanes=*/2, seed++));
    std::string error;
    const auto form =
        sched::symmetricFile(*full.file, {{shiftBy(6, 1, 6)}}, error);
    REQUIRE(form);
    checkPacked(form->bytes);
  }
}

TEST_CASE("numbers that repeat a difference take a few bytes") {
  sched::ColumnWriter writer;
  sched::Column counting;
  for (uint32_t i = 0; i < 100000; ++i)
    counting.push_back(7 + 3 * i);
  writer.column(counting);
  CHECK(writer.bytes.size() < 8);
  sched::ColumnReader reader(writer.bytes.data(), writer.bytes.size(), kEnough);
  CHECK(reader.column(counting.size()) == counting);
  CHECK(reader.isDone());
}

TEST_CASE("all numbers come back from columns") {
  std::minstd_rand random(3);
  for (int trial = 0; trial < 500; ++trial) {
    sched::Column column;
    const uint32_t masks[] = {0, 1, 0xff, 0xffffffff};
    const uint32_t mask = masks[trial % 4];
    for (int i = 0; i < trial % 50; ++i)
      column.push_back(trial % 3 ? uint32_t(random()) * 2 & mask
                                 : (i % 2 ? 0xffffffff : 0x80000000));
    sched::ColumnWriter writer;
    writer.number(uint64_t(trial) << trial % 50);
    writer.column(column);
    writer.number(~uint64_t(0) >> 1);
    sched::ColumnReader reader(writer.bytes.data(), writer.bytes.size(),
                               kEnough);
    CHECK(reader.number() == uint64_t(trial) << trial % 50);
    CHECK(reader.column(column.size()) == column);
    CHECK(reader.number() == ~uint64_t(0) >> 1);
    CHECK(reader.isDone());
  }
}

TEST_CASE("hostile columns are refused") {
  const auto fails = [](std::vector<uint8_t> bytes, uint64_t size) {
    bytes.shrink_to_fit(); // so that a sanitizer sees reads beyond it
    sched::ColumnReader reader(bytes.data(), bytes.size(), kEnough);
    return reader.column(size).empty() && reader.failed();
  };
  CHECK(!fails({0x01, 0x00}, 2));
  CHECK(fails({}, 1));
  CHECK(fails({0x80}, 1));
  CHECK(fails({0x01, 0x00}, 1)); // a run beyond the end
  CHECK(fails({0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, 9));
  CHECK(fails({0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, 1)); // more than 32 bits
  CHECK(fails({0x01, 0x00}, kEnough + 1));
}

TEST_CASE("a damaged packed file is refused or judged, and never crashes") {
  const std::vector<uint8_t> whole = packedFile();
  std::string error;
  for (size_t i = 0; i < whole.size(); ++i) {
    std::vector<uint8_t> bytes = whole;
    bytes[i] ^= 0x41;
    error.clear();
    if (!unpacked(bytes, error).empty() || error.empty())
      FAIL("byte " << i << " went unnoticed");
  }
  std::mt19937 random(5);
  int refused = 0, runs = 20000;
  for (int run = 0; run < runs; ++run) {
    std::vector<uint8_t> bytes = whole;
    for (int k = 0, n = 1 + int(random() % 3); k < n; ++k)
      bytes[8 + random() % (bytes.size() - 16)] = uint8_t(random());
    sealAgain(bytes);
    error.clear();
    const std::vector<uint8_t> plain = unpacked(bytes, error);
    if (plain.empty() == error.empty())
      FAIL("result and message disagree: " << error);
    if (plain.empty() ||
        !sched::openAnySchedule(plain.data(), plain.size(), error))
      ++refused;
  }
  CHECK(refused > runs / 2);
}

TEST_CASE("a file is packed as a whole or not at all") {
  std::vector<uint8_t> bytes = packedFile();
  std::copy_n("BLNK", 4, bytes.begin() + 4);
  sealAgain(bytes);
  std::string error;
  CHECK(!sched::openAnySchedule(bytes.data(), bytes.size(), error));
  CHECK(error.find("packed: in a file that is not a packed one") !=
        std::string::npos);
  bytes = seal(makeSchedule(Collective::allreduce, 0, 3, {}));
  std::copy_n(sched::kPackedIdentifier, 4, bytes.begin() + 4);
  sealAgain(bytes);
  error.clear();
  CHECK(unpacked(bytes, error).empty());
  CHECK(error.find("packed: missing") != std::string::npos);
}

TEST_CASE("ranks without steps do not make a file too large") {
  // Three columns of zeros for each variant.
  constexpr size_t kRanks = 5000, kVariants = 200;
  sched::ColumnWriter writer;
  writer.structs(std::vector<sched::Tree>());
  writer.structs(std::vector<sched::Channel>());
  writer.structs(std::vector<uint32_t>());
  writer.number(kRanks);
  for (int column = 0; column < 3; ++column)
    writer.column(sched::Column(kRanks, 0));
  writer.structs(std::vector<sched::Lane>());
  writer.structs(std::vector<sched::Step>());
  writer.number(0); // operands
  std::string error;
  const std::vector<uint8_t> one = fileOf(kRanks, {writer.bytes}, 0);
  CHECK(!unpacked(one, error).empty());
  CHECK(error == "");
  const std::vector<uint8_t> bytes =
      fileOf(kRanks, {kVariants, writer.bytes}, 0);
  CHECK(unpacked(bytes, error).empty());
  CHECK(error == "unpacked the schedule takes more than 1 GiB, or more than "
                 "256 times its bytes; compile it again without --symmetric");
}

TEST_CASE("what is too large unpacked is not unpacked") {
  sched::ColumnWriter writer;
  writer.structs(std::vector<sched::Tree>());
  writer.structs(std::vector<sched::Channel>());
  constexpr uint64_t kPaths = 300 << 20; // numbers of four bytes
  writer.number(kPaths);
  writer.number(1); // zeros
  writer.number(kPaths - 2);
  writer.number(2); // ranks
  for (int column = 0; column < 3; ++column)
    writer.column({0, 0});
  writer.structs(std::vector<sched::Lane>());
  writer.structs(std::vector<sched::Step>());
  writer.number(0); // operands
  std::string error;
  // 256 times as many bytes would be more.
  CHECK(unpacked(fileOf(2, {writer.bytes}, 5 << 20), error).empty());
  CHECK(error.find("unpacked the schedule takes more than 1 GiB") == 0);
}
