//===- GoldenFileTest.cpp - golden summaries as files ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/check/GoldenFile.h"

#include "compiler/check/MachineCheck.h"
#include "compiler/report/Finding.h"
#include "compiler/topology/AllocationList.h"
#include "schedules/Hash.h"
#include "schedules/ScheduleFile.h"
#include "test/common/Contains.h"
#include "test/unit/check/SmallGolden.h"

#include "doctest/doctest.h"

using namespace blink;
using namespace blink::test;

static std::string refusal(const std::string &text) {
  llvm::Expected<Golden> golden = readGolden(text, "x.golden.json");
  return golden ? "" : llvm::toString(golden.takeError());
}

/// Returns `text` with one part replaced, and with a correct checksum.
static std::string forge(std::string text, const std::string &from,
                         const std::string &to) {
  size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  at = text.rfind("  \"checksum\": ");
  std::string before = text.substr(0, at);
  return before + "  \"checksum\": \"" +
         formatHash(sched::hash64(before.data(), before.size())) + "\"\n}\n";
}

TEST_CASE("six digits, whatever the last bits are") {
  CHECK(roundGolden(89.44038313) == 89.4404);
  CHECK(roundGolden(600.0 / 7) == 85.7143);
  CHECK(roundGolden(32669.27123) == 32669.3);
  CHECK(roundGolden(21474836.48) == 21474800);
  CHECK(roundGolden(0.000123456789) == 0.000123457);
  CHECK(roundGolden(0) == 0);
  // Two machines may compute a third differently.
  CHECK(roundGolden(1.0 / 3) == roundGolden(1 - 2.0 / 3));
  CHECK(roundGolden(roundGolden(2.0 / 3)) == roundGolden(2.0 / 3));
  double infinity = std::numeric_limits<double>::infinity();
  CHECK(roundGolden(infinity) == infinity);
}

TEST_CASE("what is written is read, and written the same again") {
  std::string text = writeGolden(smallGolden());
  llvm::Expected<Golden> read = readGolden(text, "x.golden.json");
  REQUIRE(bool(read));
  CHECK(*read == smallGolden());
  CHECK(writeGolden(*read) == text);
  CHECK(contains(
      text,
      "\n      {\"collective\": \"broadcast\", \"root\": 1, "
      "\"rate\": 50.0, \"links\": 50.0, \"bound\": 50.0, "
      "\"depth\": 1, \"trees\": 2, \"predicted_us\": {\"1K\": 1.2, \"1M\": "
      "30.0, \"1G\": 20000.0}}]},\n"));
  CHECK(contains(text, "\"rate\": null, \"links\": null, \"bound\": null,"));
}

TEST_CASE("no byte can be changed by hand, but line ends may be") {
  std::string text = writeGolden(smallGolden());
  for (size_t i = 0; i < text.size(); ++i) {
    std::string edited = text;
    edited[i] = edited[i] == '1' ? '2' : '1';
    CAPTURE(i);
    CHECK(!refusal(edited).empty());
    edited = text;
    edited.erase(i, 1);
    CHECK(!refusal(edited).empty());
  }
  CHECK(contains(refusal(text + "\n"), "edited by hand"));
  size_t rate = text.find("89.4404");
  std::string better = text;
  better.replace(rate, 7, "89.4405");
  CHECK(refusal(better) ==
        "x.golden.json: was edited by hand or merged: its checksum does not "
        "match. Restore it, or recompute it with --update");
  std::string dos;
  for (char symbol : text)
    dos += symbol == '\n' ? std::string("\r\n") : std::string(1, symbol);
  CHECK(refusal(dos) == "");
}

TEST_CASE("what is no golden summary, and another version") {
  CHECK(contains(refusal(""), "x.golden.json:1:1: error: "));
  CHECK(contains(refusal("{\"format\": \"blink-topology\"}"),
                 "is no golden summary"));
  CHECK(contains(refusal("[]"), "is no golden summary"));
  std::string text = writeGolden(smallGolden());
  CHECK(contains(refusal(forge(text, "\"version\": 2", "\"version\": 3")),
                 "is of version 3; this blinkc reads version 2"));
  CHECK(contains(refusal(forge(text, "\"version\": 2", "\"version\": \"2\"")),
                 "is of version ?"));
  CHECK(contains(refusal(forge(text, "\"version\": 2", "\"version\": 1e300")),
                 "is of version ?"));
}

TEST_CASE("a right checksum does not make a wrong file right") {
  std::string text = writeGolden(smallGolden());
  const std::pair<const char *, const char *> kForgeries[] = {
      {"\"machine\": \"box \\\"1\\\"\"", "\"machine\": 1"},
      {"\"machine\"", "\"engine\""},
      {"\"compiler\": ", "\"compiler\": \"x\", \"compiler\": "},
      {"\"0xb4ed68ee353a501e\"", "\"b4ed\""},
      {"\"bundle_bytes\": 12345", "\"bundle_bytes\": -1"},
      {"\"bundle_bytes\": 12345", "\"bundle_bytes\": 1e300"},
      {"\"classes\": [", "\"classes\": [1, "},
      {"\"gpus\": \"0,1\"", "\"gpus\": \"0,,1\""},
      {"\"gpus\": \"0,1\"", "\"gpus\": \"0,99999\""},
      {"\"gpus\": \"0,1\"", "\"gpus\": \"\""},
      {"\"allocations\": 5", "\"allocations\": 5.5"},
      {"\"allocations\": 1, \"programs\": []",
       "\"allocations\": 1, \"programs\": {}"},
      {"\"broadcast\"", "\"boardcast\""},
      {"\"broadcast\"", "\"alltoall\""}, // has no root
      {"\"root\": 1, ", ""},
      {"\"rate\": 50.0", "\"rate\": -50.0"},
      {"\"rate\": 50.0", "\"rate\": \"50\""},
      {"\"links\": 50.0, ", ""},
      {"\"depth\": 1", "\"depth\": 3000000000"},
      {"\"predicted_us\": {", "\"predicted_us\": {\"2K\": 1, "},
      {"\"1M\": 30.0, ", ""},
  };
  for (auto [from, to] : kForgeries) {
    std::string words = refusal(forge(text, from, to));
    CAPTURE(to);
    CHECK(contains(words, "x.golden.json:"));
    CHECK(contains(words, ": error: "));
  }
}

TEST_CASE("of a refused file the allocations may be saved") {
  std::string text = writeGolden(smallGolden());
  text.replace(text.find("89.4404"), 7, "99.4404");
  CHECK(salvageAllocations(text) == "1-2");
  CHECK(salvageAllocations("{\"allocations\": 7}") == "");
  CHECK(salvageAllocations("<<<<<<< ours") == "");
  CHECK(salvageAllocations("[]") == "");
}

TEST_CASE("a new machine gets allocations that it has, and not too many") {
  CHECK(defaultAllocations(1) == "all");
  CHECK(defaultAllocations(8) == "all");
  CHECK(defaultAllocations(9) == "all");
  CHECK(defaultAllocations(10) == "2-7/10-10");
  for (int gpus = 1; gpus <= 200; ++gpus) {
    CAPTURE(gpus);
    auto sets = parseAllocations(defaultAllocations(gpus), gpus);
    REQUIRE(bool(sets));
    CHECK(sets->size() <= 1001);
  }
  CHECK(defaultAllocations(16) == "2-3/16-16");
  CHECK(defaultAllocations(45) == "2-2/45-45");
  CHECK(defaultAllocations(46) == "46-46");
}
