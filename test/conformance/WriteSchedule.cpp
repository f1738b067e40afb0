//===- WriteSchedule.cpp - a .sched file without the compiler -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Writes an allreduce over 8 ranks, for tests of programs that open files.
//
//===----------------------------------------------------------------------===//

#include "test/common/ScheduleBuilder.h"

#include <cstdio>

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  blink::test::BuildOptions options;
  options.treesPerBlock = 3;
  options.chunkBytes = 64 << 10;
  std::vector<uint8_t> bytes = blink::test::seal(blink::test::makeSchedule(
      blink::test::Collective::allreduce, 0, 8, options));
  std::FILE *file = std::fopen(argv[1], "wb");
  if (!file)
    return 1;
  bool ok = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return std::fclose(file) == 0 && ok ? 0 : 1;
}
