//===- PlacesTest.cpp -------------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Bus ids and lists of processors are read as systems write them, and nothing
// else is accepted as one.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/Inventory.h"
#include "compiler/import/Processors.h"

#include "doctest/doctest.h"

using namespace blink;

TEST_CASE("bus ids have one form") {
  CHECK(normalBusId("0000:1b:00.0") == "0000:1b:00.0");
  CHECK(normalBusId("00000000:1B:00.0") == "0000:1b:00.0");
  CHECK(normalBusId(" 1b:00.0 ") == "0000:1b:00.0");
  CHECK(normalBusId("ffff:ff:01.0") == "ffff:ff:01.0");
  CHECK(normalBusId("10000:01:1f.7") == "10000:01:1f.7");
  for (const char *none : {"", ":", "::", "nowhere", "0000:1b", "0000:1g:00.0",
                           "0000:100:00.0", "a:b:c:d", "0000:1b:00.10"})
    CHECK(normalBusId(none) == "");
}

TEST_CASE("lists of processors") {
  CHECK(parseCpuList("0-2,8\n") == std::vector<int>{0, 1, 2, 8});
  CHECK(parseCpuList("5") == std::vector<int>{5});
  for (const char *none : {"", "-", "3-1", "a", "0-99999999", "1,,2"})
    CHECK(parseCpuList(none).empty());
}

TEST_CASE("masks of processors") {
  CHECK(parseCpuMask("0000000f\n") == std::vector<int>{0, 1, 2, 3});
  CHECK(parseCpuMask("f") == std::vector<int>{0, 1, 2, 3});
  CHECK(parseCpuMask("80000000,00000001") == std::vector<int>{0, 63});
  CHECK(parseCpuMask("0x00000003,,0x1") == std::vector<int>{0, 64, 65});
  for (const std::string &none :
       {std::string(), std::string("0"), std::string("g"), std::string("-1"),
        std::string("0xf...f"), std::string("1ffffffff"),
        std::string(100000, ',')})
    CHECK(parseCpuMask(none).empty());
}

TEST_CASE("what computes, and what shows a console") {
  CHECK(isGpu(0x0302, 0x10de, 0x2330));
  CHECK(isGpu(0x0300, 0x10de, 0x2684));
  CHECK(isGpu(0x0380, 0x1002, 0x738c));
  CHECK(isGpu(0x1200, 0x1002, 0x74a1));
  CHECK(isGpu(0x0300, 0x1002, 0x744c));
  CHECK_FALSE(isGpu(0x0300, 0x1002, 0x515e)); // ES1000
  CHECK_FALSE(isGpu(0x0300, 0x102b, 0x0532)); // Matrox G200
  CHECK_FALSE(isGpu(0x0300, 0x1a03, 0x2000)); // ASPEED
  CHECK_FALSE(isGpu(0x0200, 0x10de, 0x0000));
}
