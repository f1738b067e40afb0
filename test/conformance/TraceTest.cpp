//===- TraceTest.cpp - BLINK_TRACE ----------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Job.h"

#include "doctest/doctest.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace blink;
using namespace blink::test;

namespace {

std::string readFile(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

size_t countOf(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

} // namespace

TEST_CASE("BLINK_TRACE writes a slice for every fold") {
  const std::string pattern = "/tmp/blink-trace-%p.json";
  const std::string path =
      "/tmp/blink-trace-" + std::to_string(getpid()) + ".json";
  setenv("BLINK_TRACE", pattern.c_str(), 1);
  BuildOptions layout;
  layout.shape = Shape::chain;
  layout.chunkBytes = 64;
  {
    Job job(makeSchedule(Collective::broadcast, 0, 3, layout), 3);
    Case c;
    c.collective = Collective::broadcast;
    c.type = blinkFloat32;
    c.count = 5 * 16; // five chunks
    CHECK(runCase(job, c) == "");
  }
  unsetenv("BLINK_TRACE");
  const std::string text = readFile(path);
  std::remove(path.c_str());
  CAPTURE(text);
  CHECK(text.rfind("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", 0) == 0);
  CHECK(countOf(text, "\"ph\":\"X\"") == 15);
  for (const char *rank : {"\"pid\":0,", "\"pid\":1,", "\"pid\":2,"})
    CHECK(countOf(text, rank) == 5);
  CHECK(countOf(text, "\"name\":\"step 0 chunk 4\"") == 3);
  CHECK(countOf(text, "\"bytes\":64") == 15);
}
