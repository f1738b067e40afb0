//===- DamageTest.cpp - damaged and hostile files -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Meant to run under AddressSanitizer, too. A damaged file must be refused, or
// it must be safe to read as a whole after it was opened.
//
//===----------------------------------------------------------------------===//

#include "schedules/Hash.h"
#include "test/common/ScheduleBuilder.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <cstring>

using namespace blink;
using namespace blink::test;

namespace {

std::vector<uint8_t> smallFile() {
  BuildOptions options;
  options.treesPerBlock = 2;
  return seal(makeSchedule(Collective::allreduce, 0, 3, options));
}

/// Opens a copy of exactly this size, so that a sanitizer sees reads beyond it.
bool opens(const std::vector<uint8_t> &bytes, std::string &error) {
  std::vector<uint8_t> exact(bytes);
  exact.shrink_to_fit();
  return sched::openSchedule(exact.data(), exact.size(), error) != nullptr;
}

/// Recomputes the checksum, as an attacker would.
void reseal(std::vector<uint8_t> &bytes) {
  size_t size = bytes.size() - 8;
  uint64_t checksum = sched::hash64(bytes.data(), size);
  for (int i = 0; i < 8; ++i)
    bytes[size + i] = uint8_t(checksum >> (8 * i));
}

} // namespace

TEST_CASE("every flipped byte is noticed") {
  const std::vector<uint8_t> whole = smallFile();
  std::string error;
  REQUIRE(opens(whole, error));
  for (size_t i = 0; i < whole.size(); ++i)
    for (uint8_t flip : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> bytes = whole;
      bytes[i] ^= flip;
      error.clear();
      if (opens(bytes, error) || error.empty())
        FAIL("byte " << i << " ^ " << int(flip) << " went unnoticed");
    }
}

TEST_CASE("every truncation and extension is noticed") {
  const std::vector<uint8_t> whole = smallFile();
  std::string error;
  for (size_t size = 0; size < whole.size(); ++size) {
    std::vector<uint8_t> bytes(whole.begin(), whole.begin() + size);
    error.clear();
    if (opens(bytes, error) || error.empty())
      FAIL("cut at " << size << " went unnoticed");
  }
  for (size_t more : {1, 7, 8, 64}) {
    std::vector<uint8_t> bytes = whole;
    bytes.resize(bytes.size() + more);
    CHECK(!opens(bytes, error));
  }
}

TEST_CASE("a resealed truncation never crashes") {
  const std::vector<uint8_t> whole = smallFile();
  for (size_t size = 8; size < whole.size(); size += 8) {
    std::vector<uint8_t> bytes(whole.begin(), whole.begin() + size);
    reseal(bytes);
    std::string error;
    bool ok = opens(bytes, error);
    CHECK(ok == error.empty());
    CHECK(!ok); // FlatBuffers puts first things last
  }
}

TEST_CASE("a size that sealing does not give is refused") {
  std::vector<uint8_t> bytes = smallFile();
  bytes.resize(bytes.size() + 4); // zeros at the end are harmless
  reseal(bytes);
  std::string error;
  CHECK(!opens(bytes, error));
  CHECK(error.find("bytes cannot be a schedule") != std::string::npos);
}

TEST_CASE("random corruption with a right checksum never crashes") {
  const std::vector<uint8_t> whole = smallFile();
  std::mt19937 random(7);
  int refused = 0, runs = 40000;
  for (int run = 0; run < runs; ++run) {
    std::vector<uint8_t> bytes = whole;
    for (int k = 0, n = 1 + random() % 4; k < n; ++k) {
      size_t place = random() % (bytes.size() - 12);
      // Random bytes, and numbers that are critical for sums and offsets.
      const uint32_t words[] = {uint32_t(random()), 0xffffffffu, 0x80000000u,
                                0x7fffffffu, uint32_t(random() % 64)};
      uint32_t word = words[random() % 5];
      std::memcpy(&bytes[place], &word, 1 + random() % 4);
    }
    reseal(bytes);
    std::string error;
    bool ok = opens(bytes, error);
    if (ok != error.empty())
      FAIL("result and message disagree: " << error);
    refused += !ok;
  }
  // Names, rates and the like may have any value; most bytes may not.
  CHECK(refused > runs / 2);
}

TEST_CASE("a file that reaches one part many times is refused, not walked") {
  // 20,000 references to one program with 20,000 references to one variant: 1.6
  // * 10^5 bytes, but 4 * 10^8 tables to look at.
  flatbuffers::FlatBufferBuilder builder;
  std::vector<sched::Lane> lanes;
  std::vector<sched::Step> steps;
  std::vector<sched::Operand> operands;
  std::vector<sched::Tree> trees;
  std::vector<sched::Channel> channels;
  std::vector<uint32_t> paths;
  auto rank =
      sched::CreateRankProgramDirect(builder, &lanes, &steps, &operands);
  std::vector<flatbuffers::Offset<sched::RankProgram>> ranks(1, rank);
  auto one = sched::CreateVariantDirect(builder, 0, 1, sched::Protocol::simple,
                                        16, &trees, &channels, &paths, &ranks);
  std::vector<flatbuffers::Offset<sched::Variant>> variants(20000, one);
  std::vector<double> prices;
  auto certificate = sched::CreateCertificateDirect(builder, 1, &prices);
  std::vector<uint16_t> allocation(1, 0);
  auto program =
      sched::CreateProgramDirect(builder, Collective::allreduce, 0, &allocation,
                                 1, certificate, &variants);
  std::vector<flatbuffers::Offset<sched::Program>> programs(20000, program);
  std::vector<flatbuffers::Offset<sched::Node>> nodes(
      1, sched::CreateNodeDirect(builder, "gpu0"));
  std::vector<sched::Link> links;
  auto topology =
      sched::CreateTopologyDirect(builder, "bomb", 0, &nodes, &links);
  std::vector<uint8_t> bytes = sched::sealSchedule(
      builder,
      sched::CreateScheduleDirect(builder, sched::kFormatVersion,
                                  sched::writeProvenance(builder, "", {}), 1,
                                  topology, &programs));
  std::string error;
  CHECK(!opens(bytes, error));
  CHECK(error.find("structure") != std::string::npos);
}

TEST_CASE("settings that share one long text are refused, not copied") {
  flatbuffers::FlatBufferBuilder builder;
  auto name = builder.CreateString("gpus");
  auto text = builder.CreateString(std::string(1 << 20, 'x'));
  std::vector<flatbuffers::Offset<sched::RecordedSetting>> settings;
  for (int i = 0; i < 10000; ++i)
    settings.push_back(sched::CreateRecordedSetting(builder, name, text));
  auto provenance =
      sched::CreateProvenanceDirect(builder, "test", &settings, "");
  std::vector<flatbuffers::Offset<sched::Node>> nodes;
  std::vector<sched::Link> links;
  std::vector<flatbuffers::Offset<sched::Program>> programs;
  auto topology =
      sched::CreateTopologyDirect(builder, "bomb", 0, &nodes, &links);
  std::vector<uint8_t> bytes = sched::sealSchedule(
      builder, sched::CreateScheduleDirect(builder, sched::kFormatVersion,
                                           provenance, 1, topology, &programs));
  std::string error;
  CHECK(!opens(bytes, error));
  CHECK(error.find("provenance.settings[1].value: shares bytes") == 0);
}

TEST_CASE("nodes that share one long text are refused, not copied") {
  const auto messageOf = [](size_t bytesOfId, bool isDevice) {
    flatbuffers::FlatBufferBuilder builder;
    const auto text = builder.CreateString(std::string(bytesOfId, 'x'));
    std::vector<flatbuffers::Offset<sched::Node>> nodes;
    for (int i = 0; i < 10000; ++i)
      nodes.push_back(
          isDevice ? sched::CreateNode(builder, builder.CreateString("a"),
                                       sched::NodeKind::nic, false, false, text)
                   : sched::CreateNode(builder, text));
    std::vector<sched::Link> links;
    std::vector<flatbuffers::Offset<sched::Program>> programs;
    const auto topology =
        sched::CreateTopologyDirect(builder, "bomb", 0, &nodes, &links);
    const std::vector<uint8_t> bytes = sched::sealSchedule(
        builder,
        sched::CreateScheduleDirect(builder, sched::kFormatVersion,
                                    sched::writeProvenance(builder, "", {}), 1,
                                    topology, &programs));
    std::string error;
    CHECK(!opens(bytes, error));
    return error;
  };
  CHECK(messageOf(256, false) ==
        "topology.nodes[0].id: 256 bytes, expected at most 255");
  CHECK(messageOf(256, true) ==
        "topology.nodes[0].device: 256 bytes, expected at most 255");
  for (const bool isDevice : {false, true}) {
    const std::string message = messageOf(255, isDevice);
    CAPTURE(message);
    CHECK(message.find("topology.nodes[") == 0);
    CHECK(message.find(isDevice ? "].device: shares bytes with other parts"
                                : "].id: shares bytes with other parts") !=
          std::string::npos);
  }
}

TEST_CASE("steps that share operands are refused before they cost time") {
  TestSchedule model = makeSchedule(Collective::allgather, 0, 2, {});
  TestRank &rank = model.variant().ranks[0];
  // One long list, and many steps that each refer to all of it.
  rank.operands.assign(60000, {sched::OperandKind::input, 0});
  rank.steps.assign(60000, {0, 0, 30000, 30000, false});
  rank.lanes = {{0, 60000}};
  std::string error;
  CHECK(!opens(seal(model), error));
  CHECK(error.find("ranks[0].steps[0]") != std::string::npos);
}
