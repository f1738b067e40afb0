//===- AllocationListTest.cpp -----------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// All sets of some sizes, and the syntax of the command line.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/AllocationList.h"

#include "test/common/Sanitizers.h"
#include "test/unit/topology/TestTopology.h"

#include <climits>

using namespace blink;
using namespace blink::test;

using Allocations = std::vector<std::vector<int>>;

static std::string refusal(const std::string &text, int numGpus = 8) {
  return textOf(parseAllocations(text, numGpus).takeError());
}

TEST_CASE("sets come by size, then in order") {
  CHECK(valueOf(enumerateAllocations(4, 2, 3)) == Allocations{{0, 1},
                                                              {0, 2},
                                                              {0, 3},
                                                              {1, 2},
                                                              {1, 3},
                                                              {2, 3},
                                                              {0, 1, 2},
                                                              {0, 1, 3},
                                                              {0, 2, 3},
                                                              {1, 2, 3}});
  CHECK(valueOf(enumerateAllocations(1, 1, 1)) == Allocations{{0}});
  CHECK(valueOf(enumerateAllocations(8, 2, 8)).size() == 247);
  CHECK(valueOf(enumerateAllocations(16, 2, 16)).size() == 65519);
  CHECK(valueOf(enumerateAllocations(20, 1, 20)).size() == (1 << 20) - 1);
  CHECK(valueOf(enumerateAllocations(1000, 999, 1000)).size() == 1001);
}

TEST_CASE("more sets than anybody compiles are refused, at once") {
  CHECK(textOf(enumerateAllocations(72, 2, 72).takeError()) ==
        "there are more than 1048576 allocations of 2 to 72 of 72 GPUs; name "
        "fewer sizes, or list the allocations that jobs really get");
  CHECK(!textOf(enumerateAllocations(21, 1, 20).takeError()).empty());
  CHECK(!textOf(enumerateAllocations(4096, 2048, 2048).takeError()).empty());
  CHECK(!textOf(enumerateAllocations(INT_MAX, 1, INT_MAX).takeError()).empty());
  CHECK(!textOf(enumerateAllocations(INT_MAX, 7, 9).takeError()).empty());
}

TEST_CASE("sizes that a machine does not have") {
  for (auto [min, max] : {std::pair(0, 2), std::pair(-1, 2), std::pair(3, 2),
                          std::pair(2, 9), std::pair(9, 9)})
    CHECK(textOf(enumerateAllocations(8, min, max).takeError()) ==
          "allocations of " + std::to_string(min) + " to " +
              std::to_string(max) +
              " GPUs; expected sizes from 1 to 8, the smaller one first");
  CHECK(textOf(enumerateAllocations(0, 1, 1).takeError()) ==
        "a machine without a GPU has no allocation");
}

TEST_CASE("all, sizes, and lists of sets") {
  CHECK(valueOf(parseAllocations("all", 8)).size() == 247);
  CHECK(valueOf(parseAllocations(" all ", 2)) == Allocations{{0, 1}});
  CHECK(valueOf(parseAllocations("all", 1)) == Allocations{{0}});
  CHECK(valueOf(parseAllocations("2-8", 8)).size() == 247);
  CHECK(valueOf(parseAllocations(" 3 - 3 ", 8)).size() == 56);
  CHECK(valueOf(parseAllocations("1-1", 2)) == Allocations{{0}, {1}});
  CHECK(valueOf(parseAllocations("7,0/1,4,5,6", 8)) ==
        Allocations{{0, 7}, {1, 4, 5, 6}});
  CHECK(valueOf(parseAllocations(" 1 , 0 / 2 ", 8)) ==
        Allocations{{0, 1}, {2}});
  CHECK(valueOf(parseAllocations("4", 8)) == Allocations{{4}});
  CHECK(valueOf(parseAllocations("3-3/1,0", 3)) ==
        Allocations{{0, 1, 2}, {0, 1}});
  CHECK(valueOf(parseAllocations("2,1 / 3 - 3", 3)) ==
        Allocations{{1, 2}, {0, 1, 2}});
  CHECK(valueOf(parseAllocations("2-3/16-16", 16)).size() == 681);
}

TEST_CASE("mistakes are named with their place") {
  CHECK(refusal("0,1/2,8") == "'0,1/2,8' at character 7: there is no such GPU; "
                              "the machine has GPUs 0 to 7");
  CHECK(refusal("99999999999999999999") ==
        "'99999999999999999999' at character 1: there is no such GPU; the "
        "machine has GPUs 0 to 7");
  CHECK(refusal("0,1/2,3,2") == "'0,1/2,3,2' at character 9: GPU 2 is already "
                                "in this set; name each once");
  CHECK(refusal("0,1/4,5/1,0") == "'0,1/4,5/1,0' at character 9: the same GPUs "
                                  "as at character 1; list each set once");
  CHECK(refusal("") == "'' at character 1: found the end, expected 'all', "
                       "sizes as in 2-4, or sets of GPUs as in 0,1/4,5,6,7");
  CHECK(refusal("some") ==
        "'some' at character 1: found 's', expected 'all', sizes as in 2-4, or "
        "sets of GPUs as in 0,1/4,5,6,7");
  CHECK(refusal("0,1//2,3") ==
        "'0,1//2,3' at character 5: found '/', expected a GPU's number");
  CHECK(refusal("0,1/") ==
        "'0,1/' at character 5: found the end, expected a GPU's number");
  CHECK(refusal("0,,1") ==
        "'0,,1' at character 3: found ',', expected a GPU's number");
  const std::string digits(1000, '0');
  CHECK(refusal(digits + ";" + digits) ==
        "'..." + digits.substr(0, 40) + ";" + digits.substr(0, 39) +
            "...' at character 1001: found ';', expected ',' and another GPU "
            "or '/' and another set");
  CHECK(refusal("0,1;2,3") == "'0,1;2,3' at character 4: found ';', expected "
                              "',' and another GPU or '/' and another set");
  CHECK(refusal("0,1/2,3-4") == "'0,1/2,3-4' at character 8: found '-', "
                                "expected ',' and another GPU or '/' and "
                                "another set");
  CHECK(refusal("0,1/2-3") == "'0,1/2-3' at character 5: the same GPUs as at "
                              "character 1; list each set once");
  CHECK(refusal("2-3/3-4") == "'2-3/3-4' at character 5: the same GPUs as at "
                              "character 1; list each set once");
  CHECK(refusal("5-5/3-4/1-2/3") ==
        "'5-5/3-4/1-2/3' at character 13: the same GPUs as at character 9; "
        "list each set once");
  if (!kSanitized) // half a million sets are made first
    CHECK(refusal("9-9/10-10", 22)
              .find("at character 5: there are more than "
                    "1048576 allocations up to here") != std::string::npos);
  CHECK(refusal("2-4,6") ==
        "'2-4,6' at character 4: found ',' after sizes; expected '/' and more "
        "of them, or a set of GPUs with each GPU named, as in 2-3/4,5,6,7");
  CHECK(refusal("2-") == "'2-' at character 3: found the end, expected the "
                         "largest number of GPUs");
  CHECK(refusal(" 2-9") ==
        "' 2-9' at character 2: allocations of 2 to 9 GPUs; expected sizes "
        "from 1 to 8, the smaller one first");
  CHECK(refusal("all", 72).find("more than 1048576 allocations") !=
        std::string::npos);
  CHECK(refusal("-1") ==
        "'-1' at character 1: found '-', expected 'all', sizes as in 2-4, or "
        "sets of GPUs as in 0,1/4,5,6,7");
  CHECK(refusal("all", 0) == "a machine without a GPU has no allocation");
}
