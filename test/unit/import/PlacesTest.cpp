//===- PlacesTest.cpp -------------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Bus ids and lists of processors are read as systems write them, and nothing
// else is taken for one.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/Inventory.h"
#include "compiler/probe/SystemFiles.h"

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
